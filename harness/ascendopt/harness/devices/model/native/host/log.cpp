#include "log.h"

#include <sys/mman.h>
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

// A memory file: the sandbox need not have a writable folder.
Capture::Capture() {
    Errors().clear();
    const int memory = memfd_create("host-log", 0);
    if (memory >= 0) file_ = fdopen(memory, "w+");
    if (file_ == nullptr) return;
    std::fflush(stdout);
    std::fflush(stderr);
    out_ = dup(1);
    err_ = dup(2);
    dup2(fileno(file_), 1);
    dup2(fileno(file_), 2);
}

std::string Capture::finish() {
    if (file_ == nullptr) return {};
    std::fflush(stdout);
    std::fflush(stderr);
    dup2(out_, 1);
    dup2(err_, 2);
    close(out_);
    close(err_);
    std::string text(kMaxLog, '\0');
    std::rewind(file_);
    text.resize(std::fread(text.data(), 1, text.size(), file_));
    if (std::fgetc(file_) != EOF) text += "\n[log cut]";
    std::fclose(file_);
    file_ = nullptr;
    return text;
}

Capture::~Capture() { finish(); }

}  // namespace ascendopt::host
