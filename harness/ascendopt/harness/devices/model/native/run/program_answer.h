// The answer of a `program` request, made from the child's frames as they come.
#pragma once
#include <functional>
#include <string>

#include "request.h"
#include "supervise.h"

namespace ascendopt::run {

class ProgramAnswer : public FrameSink {
  public:
    // `launch_members` turns a launch into the members of its answer; `crash_members` says how a program ended that
    // did not end by itself.
    using LaunchMembers = std::function<std::string(const rt::LaunchResult&)>;
    using CrashMembers = std::function<std::string(const Outcome&)>;

    ProgramAnswer(LaunchMembers launch_members, CrashMembers crash_members)
        : launch_members_(std::move(launch_members)), crash_members_(std::move(crash_members)) {}

    void take(Frame frame) override;
    std::string members(const Outcome& outcome) const;

  private:
    LaunchMembers launch_members_;
    CrashMembers crash_members_;
    std::string text_;      // of the launch whose result comes next
    std::string launches_;  // JSON objects, with commas between
    std::string failed_;
    size_t count_ = 0;
    bool disturbed_ = false;
};

}  // namespace ascendopt::run
