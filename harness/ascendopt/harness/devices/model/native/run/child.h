// The forked child: loads the candidate's objects, runs what the request asks, sends frames, ends the process.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "request.h"

namespace ascendopt::run {

constexpr int kGoOn = 75;  // exit code: the cases that are left need a process of their own

// Ends the child: sent to the server as a Failure frame.
struct Failure : std::runtime_error {
    Failure(const char* stage_, const std::string& reason, std::string log_ = {})
        : std::runtime_error(reason), stage(stage_), log(std::move(log_)) {}
    const char* stage;
    std::string log;
};

// Runs the cases from `first` on. Never returns.
[[noreturn]] void child(const Request& request, size_t first, int frames);

}  // namespace ascendopt::run
