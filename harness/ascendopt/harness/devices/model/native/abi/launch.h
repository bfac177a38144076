// The C ABI between a kernel-launch program (its host code) and the runtime: what `kernel<<<...>>>(...)` becomes.
#pragma once
#include <cstddef>
#include <cstdint>

// Which cores a kernel runs on, as its attribute says: __vector__, __cube__, __mix__(cubes, vectors), or nothing.
enum AscKernelKind : uint8_t { kAscKernelPlain = 0, kAscKernelVector = 1, kAscKernelCube = 2, kAscKernelMix = 3 };

struct AscKernelLaunch {
    const char* kernel;   // as the source writes it
    void (*call)(void*);  // runs the kernel once with the launch's arguments; called once for each core
    void* context;        // for `call`
    uint32_t blocks;
    uint8_t kind;                 // AscKernelKind
    uint8_t cubes, vectors;       // of a mix: cores of each sort in a block
    uint64_t dynamic_ub;          // second launch parameter
    const void* const* pointers;  // pointer arguments in order; null where an argument is no pointer
    size_t arguments;
};

extern "C" {
// Runs the launch to its end; streams are in order and each launch is synchronous.
void asc_launch(const AscKernelLaunch* launch);
}
