// What a child leaves behind when a signal ends it.
#pragma once
#include <cstdint>

namespace ascendopt::run {

// In memory that server and child share. The server reads it only after the child has ended, and copies it first.
struct CrashReport {
    int32_t signal;       // 0: none
    int32_t system_call;  // of SIGSYS
    uint32_t core;
    uint32_t in_kernel;
    uint32_t stack_overflow;
    uint32_t site_count;
    uint32_t device_memory;  // a program's host code touched it
    uint32_t sites[8];
    uint64_t instruction;
    uint64_t fault_address;
    char api[64];
};

// Handlers on a stack of their own for the signals that a faulty candidate raises.
void watch_crashes(CrashReport* report);

const char* signal_name(int signal);

}  // namespace ascendopt::run
