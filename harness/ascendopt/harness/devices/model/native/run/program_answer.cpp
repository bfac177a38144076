#include "program_answer.h"

#include "../sim/json.h"

namespace ascendopt::run {

namespace {

constexpr size_t kMaxLaunches = 100'000;

}  // namespace

void ProgramAnswer::take(Frame frame) {
    if (frame.kind == FrameKind::Text) {
        // It comes from a process that runs candidate code: only the two known members are passed on.
        try {
            const json::Value value = json::Value::parse("{" + std::string(frame.body.begin(), frame.body.end()) + "}");
            const json::Value& kernel = value.get("kernel");
            text_ = "\"kernel\":" + (kernel.is_null() ? "null" : json::quote(kernel.string("kernel"))) +
                    ",\"block_dim\":" + std::to_string(value.get("block_dim").unsigned_integer("block_dim")) + ",";
        } catch (const json::Error&) {
            disturbed_ = true;
        }
    } else if (frame.kind == FrameKind::Launch) {
        auto result = decode(frame.body);
        if (!result || ++count_ > kMaxLaunches) {
            disturbed_ = true;
            return;
        }
        launches_ += (launches_.empty() ? "{" : ",{") + text_ + launch_members_(*result) + "}";
    } else if (frame.kind == FrameKind::Failure) {
        const std::string body(frame.body.begin(), frame.body.end());
        const size_t first = body.find('\0');
        const size_t second = first == std::string::npos ? first : body.find('\0', first + 1);
        if (second == std::string::npos) {
            disturbed_ = true;
            return;
        }
        failed_ = body.substr(first + 1, second - first - 1);
    }
}

std::string ProgramAnswer::members(const Outcome& outcome) const {
    std::string end;
    if (disturbed_ || outcome.illegal_frame) {
        end = "\"ok\":false,\"stage\":\"run\",\"reason\":\"the program disturbed its own report\"";
    } else if (!failed_.empty()) {
        end = "\"ok\":false,\"stage\":\"run\",\"reason\":" + json::quote(failed_);
    } else if (outcome.signal != 0 || outcome.cpu_exceeded || outcome.wall_exceeded) {
        end = crash_members_(outcome);
    } else {
        end = "\"ok\":true,\"exit_code\":" + std::to_string(outcome.exit_code);
    }
    return end + ",\"launches\":[" + launches_ + "],\"output\":" + json::quote(outcome.output);
}

}  // namespace ascendopt::run
