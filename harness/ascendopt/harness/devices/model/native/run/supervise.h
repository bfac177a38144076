// The server's side of a child: start, watch, end, collect.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "crash.h"
#include "request.h"
#include "wire.h"

namespace ascendopt::run {

// Takes frames as they come, so that traces need not be kept.
class FrameSink {
  public:
    virtual ~FrameSink() = default;
    virtual void take(Frame frame) = 0;
};

struct Outcome {
    bool illegal_frame = false;
    bool cpu_exceeded = false;
    bool wall_exceeded = false;
    int signal = 0;  // that ended the child, or that its handler caught
    int exit_code = 0;
    CrashReport crash{};
    std::string output;  // standard output and error of the child; of more than 128 KiB the middle is cut
};

// Forks a child that runs the cases from `first` on, and waits for its end. Limits hold for each case. The child's
// process group is killed whatever happens; when `parent` is no longer the parent of this process, both end. Throws
// std::runtime_error when no child can be started.
Outcome supervise(const Request& request, size_t first, pid_t parent, FrameSink& sink);

}  // namespace ascendopt::run
