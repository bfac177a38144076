#include "log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "asc_host/log.h"

namespace ascendopt::host {

namespace {

constexpr size_t kMaxLog = 16 * 1024;

std::string& Errors() {
    static auto* text = new std::string();
    return *text;
}

struct LogPipe {
    int read_end = -1;
    int write_end = -1;
};

// A pipe that never blocks: the sandbox allows no new files, and what does not fit is not worth having.
LogPipe& Pipe() {
    static auto* pipe = new LogPipe();
    return *pipe;
}

}  // namespace

void LogLine(char severity, const char* node, const char* format, ...) {
    if (severity == 'D' || severity == 'I') return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (severity == 'E') Errors() = line;
    std::fprintf(stdout, "[%c] %s: %s\n", severity, node == nullptr ? "" : node, line);
}

std::string last_error() { return Errors(); }

void open_log() {
    LogPipe& log = Pipe();
    int ends[2];
    if (log.read_end >= 0 || pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return;
    log.read_end = ends[0];
    log.write_end = ends[1];
}

Capture::Capture() {
    Errors().clear();
    open_log();
    if (Pipe().write_end < 0) return;
    std::fflush(stdout);
    std::fflush(stderr);
    out_ = dup(1);
    err_ = dup(2);
    dup2(Pipe().write_end, 1);
    dup2(Pipe().write_end, 2);
}

std::string Capture::finish() {
    if (out_ < 0) return {};
    std::fflush(stdout);
    std::fflush(stderr);
    dup2(out_, 1);
    dup2(err_, 2);
    close(out_);
    close(err_);
    out_ = err_ = -1;
    std::string text;
    char part[4096];
    for (ssize_t got; (got = read(Pipe().read_end, part, sizeof part)) > 0;) text.append(part, got);
    if (text.size() > kMaxLog) text.replace(kMaxLog, std::string::npos, "\n[log cut]");
    return text;
}

Capture::~Capture() { finish(); }

}  // namespace ascendopt::host
