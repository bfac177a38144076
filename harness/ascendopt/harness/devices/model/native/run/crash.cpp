#include "crash.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "../program/session.h"
#include "../rt/launch.h"

namespace ascendopt::run {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGSYS, SIGXFSZ, SIGTRAP};
constexpr size_t kStackBytes = 64 * 1024;

// A signal handler has no other way to reach it.
CrashReport* shared_report = nullptr;

// Where the machine does not say, any access counts as a read.
bool is_write(const mcontext_t& machine) {
#if defined(__x86_64__)
    constexpr long kWrites = 2;  // bit of the page fault's error code
    return (machine.gregs[REG_ERR] & kWrites) != 0;
#else
    static_cast<void>(machine);
    return false;
#endif
}

void handle(int signal, siginfo_t* info, void* context) {
    uintptr_t pc = 0, frame = 0;
    const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
    if (signal == SIGSEGV && rt::open_closed_memory(reinterpret_cast<uintptr_t>(info->si_addr), is_write(*machine))) {
        return;  // the access is tried again
    }
#if defined(__x86_64__)
    pc = static_cast<uintptr_t>(machine->gregs[REG_RIP]);
    frame = static_cast<uintptr_t>(machine->gregs[REG_RBP]);
#elif defined(__aarch64__)
    pc = machine->pc;
    frame = machine->regs[29];
#endif
    const bool has_address = signal == SIGSEGV || signal == SIGBUS;
    const auto address = has_address ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;
    const rt::Where at = rt::where(pc, frame, address);
    CrashReport& out = *shared_report;
    out.system_call = signal == SIGSYS ? info->si_syscall : 0;
    out.core = at.core;
    out.in_kernel = at.in_kernel;
    out.stack_overflow = at.stack_overflow;
    out.instruction = at.instruction;
    out.fault_address = address;
    out.site_count = static_cast<uint32_t>(std::clamp(at.site_count, 0, 8));
    for (uint32_t i = 0; i < out.site_count; ++i) out.sites[i] = at.sites[i];
    if (at.api) std::strncpy(out.api, at.api, sizeof out.api - 1);
    if (!at.in_kernel && program::session) {
        out.device_memory = has_address && program::session->buffer_at(info->si_addr) != nullptr;
        if (const uint32_t site = program::session->site_of(pc)) out.sites[out.site_count++] = site;
    }
    out.signal = signal;
    _exit(128 + signal);
}

}  // namespace

void watch_crashes(CrashReport* report) {
    shared_report = report;
    void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kStackBytes;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (int signal : kSignals) sigaction(signal, &action, nullptr);
}

const char* signal_name(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGBUS:
            return "SIGBUS";
        case SIGFPE:
            return "SIGFPE";
        case SIGILL:
            return "SIGILL";
        case SIGABRT:
            return "SIGABRT";
        case SIGXCPU:
            return "SIGXCPU";
        case SIGSYS:
            return "SIGSYS";
        case SIGXFSZ:
            return "SIGXFSZ";
        case SIGTRAP:
            return "SIGTRAP";
        case SIGKILL:
            return "SIGKILL";
        case SIGTERM:
            return "SIGTERM";
        default:
            return "a signal";
    }
}

}  // namespace ascendopt::run
