#include "supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "child.h"
#include "confine.h"

namespace ascendopt::run {

namespace {

constexpr size_t kMaxOutput = 64 * 1024;
constexpr int kPipeBytes = 1 << 20;
constexpr uint64_t kMaxFile = uint64_t{1} << 30;      // each file that a program writes
constexpr uint64_t kBaseBytes = uint64_t{256} << 20;  // program, libraries and the candidate's objects

double now(clockid_t clock) {
    timespec t{};
    if (clock_gettime(clock, &t) != 0) return 0;
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

uint64_t argument_bytes(const Request& request) {
    uint64_t sum = 0;
    for (const Case& each : request.cases) {
        for (const ArgumentSpec& argument : each.arguments) {
            sum += argument.bytes;
            for (uint64_t bytes : argument.list_bytes) sum += bytes;
        }
    }
    return sum;
}

struct Pipe2 {
    int read_end = -1;
    int write_end = -1;
    Pipe2() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a child");
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe2() {
        close_end(read_end);
        close_end(write_end);
    }
    Pipe2(const Pipe2&) = delete;
    Pipe2& operator=(const Pipe2&) = delete;
    static void close_end(int& fd) {
        if (fd >= 0) close(fd);
        fd = -1;
    }
};

struct SharedCrash {
    CrashReport* report;
    SharedCrash() {
        void* memory = mmap(nullptr, sizeof(CrashReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no memory for a child");
        report = static_cast<CrashReport*>(memory);
    }
    ~SharedCrash() { munmap(report, sizeof(CrashReport)); }
    SharedCrash(const SharedCrash&) = delete;
    SharedCrash& operator=(const SharedCrash&) = delete;
};

// Nothing of the server stays open in the child but its two pipes.
void close_others(int keep) {
#ifdef SYS_close_range
    const auto close_range = [](int first, unsigned last) { return syscall(SYS_close_range, first, last, 0) == 0; };
    if ((keep <= 3 || close_range(3, keep - 1)) && close_range(keep + 1, ~0u)) return;
#endif
    int limit = static_cast<int>(std::min<long>(sysconf(_SC_OPEN_MAX), 4096));
    for (int fd = 3; fd < limit; ++fd) {
        if (fd != keep) close(fd);
    }
}

[[noreturn]] void become_child(const Request& request, size_t first, int frames, int output, CrashReport* crash) {
    static char buffers[2][4096];  // stdio must not ask the system for the terminal later
    setpgid(0, 0);
    int none = open("/dev/null", O_RDONLY);
    if (none >= 0) dup2(none, 0);
    dup2(output, 1);
    dup2(output, 2);
    close_others(frames);
    std::setvbuf(stdout, buffers[0], _IOLBF, sizeof buffers[0]);
    std::setvbuf(stderr, buffers[1], _IOLBF, sizeof buffers[1]);
    std::signal(SIGPIPE, SIG_IGN);
    watch_crashes(crash);
    double cases = static_cast<double>(request.cases.size() - std::min(first, request.cases.size()));
    uint64_t bytes = kBaseBytes + (request.limits.as_mb << 20) + argument_bytes(request);
    const bool program = request.command == Request::Command::Program;
    limit_resources(bytes, request.limits.cpu_s * std::max(1.0, cases) + 1, program ? kMaxFile : 0);
    child(request, first, frames);
}

class Watch {
  public:
    Watch(const Request& request, pid_t child, pid_t parent, Outcome& out, FrameSink& sink)
        : request_(request), child_(child), parent_(parent), out_(out), sink_(sink) {
        has_clock_ = clock_getcpuclockid(child, &cpu_clock_) == 0;
        restart();
    }

    void run(int& frames, int& output) {
        while (frames >= 0 || output >= 0) {
            pollfd fds[2] = {{frames, POLLIN, 0}, {output, POLLIN, 0}};
            int ready = poll(fds, 2, 20);
            if (ready < 0 && errno != EINTR) break;
            if (ready > 0 && fds[0].revents) pump(frames, [this](const uint8_t* d, size_t n) { return take(d, n); });
            if (ready > 0 && fds[1].revents) pump(output, [this](const uint8_t* d, size_t n) { return keep(d, n); });
            if (getppid() != parent_) abandon();
            if (overdue()) break;
        }
    }

  private:
    const Request& request_;
    pid_t child_;
    pid_t parent_;
    Outcome& out_;
    FrameSink& sink_;
    FrameReader reader_;
    clockid_t cpu_clock_{};
    bool has_clock_ = false;
    bool asked_ = false;
    double wall_start_ = 0, cpu_start_ = 0, asked_at_ = 0;
    std::vector<uint8_t> buffer_ = std::vector<uint8_t>(1 << 17);

    void restart() {
        wall_start_ = now(CLOCK_MONOTONIC);
        cpu_start_ = has_clock_ ? now(cpu_clock_) : 0;
    }

    template <class Take>
    void pump(int& fd, Take take) {
        ssize_t got = read(fd, buffer_.data(), buffer_.size());
        if (got < 0 && errno == EINTR) return;
        if (got <= 0 || !take(buffer_.data(), static_cast<size_t>(got))) Pipe2::close_end(fd);
    }

    bool take(const uint8_t* data, size_t bytes) {
        if (!reader_.feed(data, bytes)) {
            out_.illegal_frame = true;
            return false;
        }
        for (Frame& frame : reader_.take()) {
            const bool done = frame.kind == FrameKind::CaseDone;
            sink_.take(std::move(frame));
            if (done) restart();  // the time that the server took to replay is not the candidate's
        }
        return true;
    }

    bool keep(const uint8_t* data, size_t bytes) {
        out_.output.append(reinterpret_cast<const char*>(data), bytes);
        // A verdict comes last: of more than there is room for, the middle goes.
        if (out_.output.size() > 2 * kMaxOutput)
            out_.output.replace(kMaxOutput / 2, out_.output.size() - kMaxOutput, "\n...\n");
        return true;
    }

    // Whoever asked is gone, killed perhaps: nobody will read the answer, nor end this process.
    [[noreturn]] void abandon() {
        kill(-child_, SIGKILL);
        _exit(1);
    }

    // The signal of the CPU limit first: its handler says where the kernel was.
    bool overdue() {
        double wall = now(CLOCK_MONOTONIC);
        if (asked_) return wall - asked_at_ > 0.5;
        bool cpu = has_clock_ && now(cpu_clock_) - cpu_start_ > request_.limits.cpu_s;
        bool slow = wall - wall_start_ > request_.limits.wall_s;
        if (!cpu && !slow) return false;
        out_.cpu_exceeded = cpu;
        out_.wall_exceeded = !cpu;
        kill(child_, SIGXCPU);
        asked_ = true;
        asked_at_ = wall;
        return false;
    }
};

}  // namespace

Outcome supervise(const Request& request, size_t first, pid_t parent, FrameSink& sink) {
    Outcome out;
    SharedCrash crash;
    Pipe2 frames, output;
#ifdef F_SETPIPE_SZ
    fcntl(frames.write_end, F_SETPIPE_SZ, kPipeBytes);  // a trace in one go, where the system lets us
#endif
    pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("no process for the candidate");
    if (pid == 0) become_child(request, first, frames.write_end, output.write_end, crash.report);
    setpgid(pid, pid);
    Pipe2::close_end(frames.write_end);
    Pipe2::close_end(output.write_end);
    Watch(request, pid, parent, out, sink).run(frames.read_end, output.read_end);
    kill(-pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    std::memcpy(&out.crash, crash.report, sizeof out.crash);
    out.crash.api[sizeof out.crash.api - 1] = '\0';
    out.crash.site_count = std::min<uint32_t>(out.crash.site_count, 8);
    if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
    if (WIFEXITED(status)) out.exit_code = WEXITSTATUS(status);
    if (out.crash.signal != 0) out.signal = out.crash.signal;
    if (out.signal == SIGXCPU) out.cpu_exceeded |= !out.wall_exceeded;
    return out;
}

}  // namespace ascendopt::run
