// How the server process runs a kernel: one call, made in the forked child after the kernel object was loaded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../abi/trace.h"

namespace ascendopt::rt {

enum class Role : uint8_t { Input, Output, Workspace };

struct ListItem {
    uint8_t* data;
    uint64_t bytes;
};

// One pointer argument of the kernel entry, in the entry's order (the tiling pointer is not among them: the
// runtime appends it). A tensor list has is_list and one ListItem a tensor; the runtime builds the block
// {byte offset, pointers} that the kernel sees.
//
// The caller maps the memory (map_gm below gives guard pages). Copies that run past `bytes` never touch memory
// behind it: reads give 0xFF, writes are dropped, both are reported.
struct Argument {
    uint8_t* data = nullptr;
    uint64_t bytes = 0;
    Role role = Role::Input;
    bool is_list = false;
    std::vector<ListItem> list;
    bool has_values = true;  // false: contents mean nothing (timing mode without input files)
    bool poison = true;      // Output only: fill with 0xFF before the run
    std::string name;        // for messages; empty: "argument N"
    bool shared = false;     // the memory of an earlier argument: an output that is written in place
};

// Bytes of each local memory of one core, from the chip's data; 0 = the chip has none.
struct ChipMemory {
    uint32_t ub = 0;
    uint32_t l1 = 0;
    uint32_t l0a = 0;
    uint32_t l0b = 0;
    uint32_t l0c = 0;
    uint32_t bias_table = 0;
    uint32_t fixpipe = 0;
};

enum class Mode : uint8_t { Functional, Timing };

struct LaunchRequest {
    void* entry = nullptr;  // dlsym of the kernel entry
    // A program's own call of the kernel, in place of `entry` with the arguments; `entry` then only tells the object.
    // `arguments` are the device's memory, and there is no tiling pointer.
    void (*call)(void*) = nullptr;
    void* context = nullptr;
    std::vector<Argument> arguments;
    std::vector<uint8_t> tiling;
    uint64_t tiling_key = 0;
    uint32_t block_dim = 1;
    // Cores of each sort that a block starts, where an attribute of the kernel says it. Both 0: found out.
    uint8_t cubes = 0;
    uint8_t vectors = 0;
    ChipMemory memory;
    uint64_t l2_bytes = 0;  // of the chip; 0 = unknown
    Mode mode = Mode::Functional;
    bool check_races = true;
    // The compiler inserts no synchronisation (cce-auto-sync off): dependent vector instructions need
    // PipeBarrier<PIPE_V>, and scalar accesses flags.
    bool strict_v_barrier = false;
    // Calls whose documented effect makes no sense (`doubt_...`) act as the operator evidently means them.
    bool as_meant = false;
    uint64_t max_instructions = 50'000'000;
    uint32_t stack_bytes = 1 << 20;
    uint64_t system_workspace_bytes = 16u << 20;  // GetUserWorkspace skips these
};

enum class Severity : uint8_t { Error = 0, Warning = 1, Doubt = 2 };

// Violations with the same code and severity are counted; the first is kept in detail.
struct Violation {
    std::string code;  // race_raw, ub_overflow, ...: the list is in rt/README.md
    Severity severity = Severity::Error;
    std::string message;  // one sentence with the figures
    uint64_t count = 1;
    uint32_t core = 0;
    std::string pipe;          // "V", "MTE2" ... or empty
    std::string api;           // as the user wrote it
    std::string buffer;        // UB range or GM argument, or empty
    std::string need;          // races: the missing sync, e.g. "MTE2_V"
    uint64_t instruction = 0;  // number within the core
    // Return addresses as offsets in the kernel object, innermost first. The first that is not inside our own
    // headers is the user's line. Subtract 1 before a line lookup.
    std::vector<uint32_t> sites;
};

struct LaunchResult {
    bool completed = false;  // false: a fatal violation ended the run (the last one in the list)
    std::vector<Violation> violations;
    LaunchTrace trace;
    uint32_t ub_high = 0;       // bytes, highest end of any UB allocation over the cores
    uint64_t instructions = 0;  // over all cores
    uint64_t scalar_accesses = 0;
    bool timing_valid = true;
    std::string timing_note;
};

LaunchResult launch(const LaunchRequest& request);

// For a signal handler: where the kernel was. Async-signal-safe; `fault_pc` and `fault_frame` come from the
// ucontext of the signal (0 if unknown). Fields point into static memory.
struct Where {
    bool in_kernel;
    bool stack_overflow;  // `fault_address` lies in a fiber's guard page
    uint32_t core;
    uint64_t instruction;
    const char* api;    // last API that was called
    uint32_t sites[8];  // kernel object offsets, innermost first
    int site_count;
};
Where where(uintptr_t fault_pc, uintptr_t fault_frame, uintptr_t fault_address);

// For a signal handler: memory without values that a kernel in timing mode touches through a pointer. True if it was
// closed and is open now; a read makes the time invalid.
bool open_closed_memory(uint64_t address, bool writes);

// Maps `bytes` of the file (fd >= 0: shared) or zeroed memory (fd < 0) so that the data end as close to a guard
// page as 512 B alignment of the start allows. Returns nullptr on failure. Never unmapped: the child ends.
uint8_t* map_gm(int fd, uint64_t bytes);

}  // namespace ascendopt::rt
