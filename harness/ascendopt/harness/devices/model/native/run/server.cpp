#include "server.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iterator>
#include <utility>

#include "../abi/ops.h"
#include "../sim/parameters.h"
#include "child.h"
#include "confine.h"
#include "confine_files.h"
#include "program_answer.h"

namespace ascendopt::run {

namespace {

constexpr size_t kMaxLine = size_t{64} << 20;
constexpr size_t kMaxSnippet = 4000;

std::string failure(const char* stage, const std::string& reason) {
    return std::string("\"ok\":false,\"stage\":\"") + stage + "\",\"reason\":" + json::quote(reason);
}

std::string sites_members(const uint32_t* sites, size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i) list += (i ? "," : "") + std::to_string(sites[i]);
    return "\"address\":" + (count ? std::to_string(sites[0]) : std::string("null")) + ",\"sites\":[" + list + "]";
}

std::string violation_json(const rt::Violation& v) {
    static const char* severities[] = {"error", "warning", "doubt"};
    return "{\"code\":" + json::quote(v.code) + ",\"severity\":\"" + severities[static_cast<int>(v.severity)] +
           "\",\"message\":" + json::quote(v.message) + ",\"count\":" + std::to_string(v.count) +
           ",\"core\":" + std::to_string(v.core) + ",\"pipe\":" + json::quote(v.pipe) +
           ",\"api\":" + json::quote(v.api) + ",\"buffer\":" + json::quote(v.buffer) +
           ",\"need\":" + json::quote(v.need) + ",\"instruction\":" + std::to_string(v.instruction) + "," +
           sites_members(v.sites.data(), v.sites.size()) + "}";
}

std::string violations_member(const std::vector<rt::Violation>& all) {
    std::string list;
    for (const rt::Violation& each : all) list += (list.empty() ? "" : ",") + violation_json(each);
    return "\"violations\":[" + list + "]";
}

const char* stage_of(const Request& request) {
    switch (request.command) {
        case Request::Command::Describe:
        case Request::Command::Infer:
        case Request::Command::Tile:
            return "tile";
        case Request::Command::Profile:
            return "profile";
        default:
            return "run";
    }
}

std::string seconds(double value) {
    std::string text = json::number(value);
    return text + (text == "1" ? " second" : " seconds");
}

std::string crash_reason(const Request& request, const Outcome& outcome, bool in_kernel) {
    const CrashReport& crash = outcome.crash;
    std::string who = in_kernel ? "the kernel" : "the host code";
    std::string where = in_kernel && crash.api[0] ? std::string(" (last call: ") + crash.api + ")" : "";
    if (outcome.cpu_exceeded)
        return "time limit: " + who + " was still running after " + seconds(request.limits.cpu_s) + " of CPU time" +
               where;
    if (outcome.wall_exceeded)
        return "time limit: " + who + " was still running after " + seconds(request.limits.wall_s) + where;
    switch (outcome.signal) {
        case SIGSEGV:
        case SIGBUS:
            if (crash.device_memory) return who + " accessed device memory, which only copies and kernels can reach";
            if (crash.stack_overflow) return "stack overflow in " + who + where;
            if (crash.fault_address < 4096) return who + " dereferenced a null pointer" + where;
            return who + " accessed memory that is not its own" + where;
        case SIGFPE:
            return who + " divided an integer by zero" + where;
        case SIGABRT:
            return who + " aborted, after an uncaught exception or out of memory (limit " +
                   std::to_string(request.limits.as_mb) + " MB)" + where;
        case SIGSYS:
            return who + " made a system call that the sandbox forbids (number " + std::to_string(crash.system_call) +
                   ")" + where;
        case SIGXFSZ:
            return who + " tried to write a file" + where;
        default:
            break;
    }
    if (outcome.signal != 0) return who + " was ended by " + signal_name(outcome.signal) + where;
    if (outcome.illegal_frame) return "the candidate disturbed its own report";
    return "the candidate ended its process with exit code " + std::to_string(outcome.exit_code);
}

std::string crash_members(const Request& request, const Outcome& outcome, bool tiled) {
    const bool kernel_case = request.command == Request::Command::Run || request.command == Request::Command::Profile;
    const bool in_kernel = outcome.crash.in_kernel != 0 || (kernel_case && tiled);
    std::string signal = outcome.signal ? json::quote(signal_name(outcome.signal)) : "null";
    const bool program = request.command == Request::Command::Program;
    std::string out =
        failure(in_kernel || program ? stage_of(request) : "tile", crash_reason(request, outcome, in_kernel));
    out += ",\"signal\":" + signal + ",\"core\":" + std::to_string(outcome.crash.core);
    out += ",\"instruction\":" + std::to_string(outcome.crash.instruction) + ",";
    out += sites_members(outcome.crash.sites, outcome.crash.site_count);
    return out + ",\"violations\":[]";
}

const char* pipe_key(int pipe) {
    static const char* names[] = {"scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe"};
    return names[pipe];
}

std::string body_text(const Frame& frame) { return {frame.body.begin(), frame.body.end()}; }

// Text frames come from a process that ran candidate code: only well-formed JSON is passed on.
bool well_formed(const std::string& members) {
    try {
        json::Value value = json::Value::parse("{" + members + "}");
        return !value.has("ok") && !value.has("id");
    } catch (const json::Error&) {
        return false;
    }
}

}  // namespace

Server::Server() : sandbox_(confinement_works() ? "fork+rlimits+seccomp" : "fork+rlimits"), files_(file_confinement()) {
    if (files_ == "landlock") sandbox_ += "+landlock";
}

const sim::Model& Server::model(const std::string& path) {
    auto found = models_.find(path);
    if (found == models_.end()) found = models_.emplace(path, sim::Model::load(path)).first;
    return found->second;
}

namespace {

constexpr size_t kTimelineSpans = 100'000;

const char* span_name(const TraceRecord& r) {
    static const char* cube[] = {"?", "Mmad", "LoadData A", "LoadData B", "LoadData", "Fill", "Fixpipe", "Mmad"};
    if (r.kind == TraceKind::WaitFlag || r.kind == TraceKind::CrossWait) return "wait";
    if (r.kind == TraceKind::Transfer) return (r.flags & kGmWrite) ? "store" : "load";
    if (r.pipe == Pipe::V) return sim::op_name(static_cast<Op>(r.op));
    return r.op < std::size(cube) ? cube[r.op] : "?";
}

// What a waiting pipe waits for: a pipe, the cube core while it works for another core, or other cores.
int waited_for(const sim::TimelineSpan& span) {
    constexpr int kCube = 7, kCores = 8;
    if (!span.waits) return -1;
    const TraceRecord& r = *span.record;
    if (r.kind == TraceKind::CrossWait) return kCores;
    return r.kind == TraceKind::WaitFlag ? static_cast<int>(r.pipe) : kCube;
}

// [pipe, start, duration, name, call site, bytes or repeats, what is waited for or -1, core]
// core: -1 shown alone, 0 the cube core, 1 and more the vector cores
std::string timeline_members(const sim::Model& model, const LaunchTrace& trace) {
    size_t total = 0;
    std::string out = ",\"timeline\":[";
    bool first = true;
    for (const sim::TimelineSpan& span : model.timeline(trace, kTimelineSpans, total)) {
        const TraceRecord& r = *span.record;
        const uint64_t size = r.kind == TraceKind::Transfer ? uint64_t{r.repeats} * r.elements : r.repeats;
        out += (first ? "[" : ",[") + std::to_string(static_cast<int>(span.pipe)) + "," + json::number(span.start_us) +
               "," + json::number(span.duration_us) + ",\"" + span_name(r) + "\"," + std::to_string(r.call_site) + "," +
               std::to_string(size) + "," + std::to_string(waited_for(span)) + "," +
               std::to_string(span.cube         ? 0
                              : span.vector < 0 ? -1
                                                : span.vector + 1) +
               "]";
        first = false;
    }
    return out + "],\"timeline_spans\":" + std::to_string(total);
}

std::string numbers(const std::vector<double>& values) {
    std::string list;
    for (double value : values) list += (list.empty() ? "" : ",") + json::number(value);
    return list;
}

std::string roofline_members(const sim::Prediction& centre) {
    std::string unloaded;
    for (int i = 0; i < static_cast<int>(Pipe::Count); ++i)
        unloaded += std::string(i ? "," : "") + "\"" + pipe_key(i) + "\":" + json::number(centre.unloaded_us[i]);
    return ",\"roofline\":{\"hbm_us\":" + json::number(centre.hbm_us) + ",\"l2_us\":" + json::number(centre.l2_us) +
           ",\"pipes_us\":{" + unloaded + "},\"read_bytes\":" + json::number(centre.read_bytes) +
           ",\"write_bytes\":" + json::number(centre.write_bytes) + ",\"hbm_bytes\":" + json::number(centre.hbm_bytes) +
           "}";
}

}  // namespace

std::string Server::timing_members(const Request& request, const LaunchTrace& trace) {
    sim::Forecast forecast = model(request.params).forecast(trace, request.samples, request.seed);
    const std::string samples = numbers(forecast.samples_us);
    std::string pipes;
    for (int i = 0; i < static_cast<int>(Pipe::Count); ++i)
        pipes += std::string(i ? "," : "") + "\"" + pipe_key(i) + "\":" + json::number(forecast.centre.pipe_us[i]);
    return "\"latency_us\":" + json::number(forecast.centre.latency_us) +
           ",\"launch_us\":" + json::number(forecast.centre.launch_us) + ",\"samples_us\":[" + samples +
           "],\"launch_samples_us\":[" + numbers(forecast.launch_samples_us) + "],\"pipes_us\":{" + pipes +
           "},\"bound\":\"" + pipe_key(static_cast<int>(forecast.centre.bound)) +
           "\",\"guessed_share\":" + json::number(forecast.centre.guessed_share) + roofline_members(forecast.centre) +
           (request.timeline ? timeline_members(model(request.params), trace) : "");
}

std::string Server::launch_members(const Request& request, const rt::LaunchResult& result) {
    if (!result.completed) {
        const rt::Violation* last = result.violations.empty() ? nullptr : &result.violations.back();
        std::string out = failure(stage_of(request), last ? last->message : "the kernel did not complete");
        out += last ? "," + sites_members(last->sites.data(), last->sites.size()) : ",\"address\":null,\"sites\":[]";
        return out + ",\"signal\":null," + violations_member(result.violations);
    }
    bool valid = result.timing_valid;
    std::string note = result.timing_note;
    std::string timing;
    if (request.timing && !request.params.empty()) {
        try {
            timing = "," + timing_members(request, result.trace);
        } catch (const std::exception& error) {
            if (request.command == Request::Command::Profile)
                return failure("profile", error.what()) + "," + violations_member(result.violations);
            valid = false;
            note = error.what();
        }
    }
    return "\"ok\":true,\"ub_bytes\":" + std::to_string(result.ub_high) +
           ",\"instructions\":" + std::to_string(result.instructions) +
           ",\"scalar_accesses\":" + std::to_string(result.scalar_accesses) +
           ",\"timing_valid\":" + (valid ? "true" : "false") + ",\"timing_note\":" + json::quote(note) + timing + "," +
           violations_member(result.violations);
}

// The answers of a request's cases, made from frames as they come.
class CaseAnswers : public FrameSink {
  public:
    CaseAnswers(Server& server, const Request& request)
        : server_(server), request_(request), states_(std::max<size_t>(1, request.cases.size())) {
        for (size_t i = 0; i < request.cases.size(); ++i) states_[i].tiled = request.cases[i].has_tiling;
    }

    // Frames of any case but the open one are not the child's to send.
    void take(Frame frame) override {
        if (open_ >= states_.size() || frame.index != open_) return;
        State& state = states_[open_];
        switch (frame.kind) {
            case FrameKind::CaseDone:
                ++open_;
                break;
            case FrameKind::Failure:
                state.failed = failed(body_text(frame));
                break;
            case FrameKind::Text:
                state.text = body_text(frame);
                state.tiled = true;
                if (!well_formed(state.text)) state.failed = disturbed();
                break;
            case FrameKind::Launch: {
                auto result = decode(frame.body);
                if (result)
                    state.launched = server_.launch_members(request_, *result);
                else
                    state.failed = disturbed();
                break;
            }
        }
    }

    // A case that ends its process takes nothing with it but itself. Returns the first case that is still open.
    size_t close(const Outcome& outcome) {
        if (open_ < states_.size()) states_[open_++].ended = outcome;
        return open_;
    }

    size_t open() const { return open_; }
    size_t count() const { return states_.size(); }

    std::string members(size_t index) const {
        const State& state = states_[index];
        if (!state.failed.empty()) return state.failed;
        const bool launches =
            request_.command == Request::Command::Run || request_.command == Request::Command::Profile;
        if (launches ? state.launched.empty() : state.text.empty())
            return crash_members(request_, state.ended, state.tiled);
        if (!launches) return "\"ok\":true," + state.text;
        return state.text.empty() ? state.launched : state.launched + "," + state.text;
    }

  private:
    struct State {
        bool tiled = false;
        std::string text, launched, failed;
        Outcome ended;
    };

    Server& server_;
    const Request& request_;
    std::vector<State> states_;
    size_t open_ = 0;

    std::string disturbed() const { return failure(stage_of(request_), "the candidate disturbed its own report"); }

    std::string failed(const std::string& body) const {
        size_t first = body.find('\0');
        size_t second = first == std::string::npos ? first : body.find('\0', first + 1);
        if (second == std::string::npos) return disturbed();
        std::string stage = body.substr(0, first);
        if (stage != "tile" && stage != "profile") stage = stage_of(request_);
        return failure(stage.c_str(), body.substr(first + 1, second - first - 1)) +
               ",\"log\":" + json::quote(body.substr(second + 1)) +
               ",\"signal\":null,\"address\":null,\"sites\":[],\"violations\":[]";
    }
};

std::string Server::run_cases(const Request& request) {
    CaseAnswers answers(*this, request);
    std::string output;
    for (size_t first = 0; first < answers.count();) {
        Outcome outcome = supervise(request, first, parent_, answers);
        if (output.size() < kMaxSnippet) output += outcome.output.substr(0, kMaxSnippet - output.size());
        outcome.output.clear();
        const bool goes_on = request.reloads && outcome.exit_code == kGoOn && answers.open() > first;
        first = goes_on ? answers.open() : answers.close(outcome);
    }
    std::string out_member = ",\"output\":" + json::quote(output);
    if (!request.lists) return answers.members(0) + out_member;
    std::string list;
    for (size_t i = 0; i < answers.count(); ++i) list += (i ? ",{" : "{") + answers.members(i) + "}";
    return "\"ok\":true,\"results\":[" + list + "]" + out_member;
}

std::string Server::run_program(const Request& request) {
    ProgramAnswer answer([&](const rt::LaunchResult& result) { return launch_members(request, result); },
                         [&](const Outcome& outcome) { return crash_members(request, outcome, false); });
    const Outcome outcome = supervise(request, 0, parent_, answer);
    return answer.members(outcome);
}

std::string Server::respond(const Request& request) {
    if (request.command == Request::Command::Hello)
        return "\"ok\":true,\"abi\":1,\"sandbox\":" + json::quote(sandbox_) + ",\"files\":" + json::quote(files_);
    if (request.command == Request::Command::Replay) return "\"ok\":true," + timing_members(request, request.trace);
    if (!request.params.empty()) model(request.params);  // a broken timing file fails before anything runs
    return request.command == Request::Command::Program ? run_program(request) : run_cases(request);
}

std::string Server::answer(const std::string& line) {
    std::string id = "null";
    try {
        json::Value value = json::Value::parse(line);
        if (value.get("id").is_number()) id = std::to_string(value.get("id").integer("id"));
        Request request = read_request(value);
        return "{\"id\":" + id + "," + respond(request) + "}";
    } catch (const std::exception& error) {
        return "{\"id\":" + id + "," + failure("request", error.what()) + "}";
    }
}

namespace {

bool write_line(int fd, std::string text) {
    text += '\n';
    size_t done = 0;
    while (done < text.size()) {
        ssize_t part = write(fd, text.data() + done, text.size() - done);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        done += static_cast<size_t>(part);
    }
    return true;
}

}  // namespace

int serve(int in, int out) {
    std::signal(SIGPIPE, SIG_IGN);
    Server server;
    std::string pending;
    std::vector<char> buffer(1 << 16);
    while (true) {
        ssize_t got = read(in, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        size_t searched = pending.size();
        pending.append(buffer.data(), static_cast<size_t>(got));
        for (size_t end; (end = pending.find('\n', searched)) != std::string::npos; searched = 0) {
            std::string line = pending.substr(0, end);
            pending.erase(0, end + 1);
            if (!line.empty() && !write_line(out, server.answer(line))) return 1;
        }
        if (pending.size() > kMaxLine) return 1;
    }
}

}  // namespace ascendopt::run
