// The forked child: loads the candidate's objects, runs what the request asks, sends frames, ends the process.
#pragma once
#include <cstddef>

#include "request.h"

namespace ascendopt::run {

// Runs the cases from `first` on. Never returns.
[[noreturn]] void child(const Request& request, size_t first, int frames);

}  // namespace ascendopt::run
