// The server's side of a child: start, watch, end, collect.
#pragma once
#include <string>
#include <vector>

#include "crash.h"
#include "request.h"
#include "wire.h"

namespace ascendopt::run {

struct Outcome {
    std::vector<Frame> frames;
    bool illegal_frame = false;
    bool cpu_exceeded = false;
    bool wall_exceeded = false;
    int signal = 0;  // that ended the child, or that its handler caught
    int exit_code = 0;
    CrashReport crash{};
    std::string output;  // standard output and error of the child, cut at 64 KiB
};

// Forks a child that runs the cases from `first` on, and waits for its end. Limits hold for each case. The child's
// process group is killed whatever happens. Throws std::runtime_error when no child can be started.
Outcome supervise(const Request& request, size_t first);

}  // namespace ascendopt::run
