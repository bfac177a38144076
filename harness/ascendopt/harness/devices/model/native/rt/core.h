// What the vector library needs from the running core. Implemented in rt/core*.cpp.
#pragma once
#include <cstdint>

#include "../abi/ops.h"
#include "../abi/rt.h"
#include "../abi/trace.h"

namespace ascendopt::rt {

// Every extern "C" entry begins with this: it counts the scalar unit's work and remembers where the kernel was, so that
// messages and trace records name the user's line. `api` is the name as the user wrote it.
#define ASC_ENTER(api) ::ascendopt::rt::enter_alone(__builtin_frame_address(0), (api))
void enter_alone(void* frame, const char* api);
// The same of calls that a core may repeat after another one (repetition.h), when it was seen that this one does not.
#define ASC_ENTER_REPEATABLE(api) ::ascendopt::rt::enter(__builtin_frame_address(0), (api))
void enter(void* frame, const char* api);
// Whether the running core repeats the call and nothing is left to do. `frame` is the entry's.
bool repeats(void* frame, const AscVector& call);
bool repeats(void* frame, const AscComposite& call);
// What follows depends on more than the calls of this core.
void end_repetition();

// A byte range of UB that an instruction reads or writes.
struct Access {
    uint32_t begin;
    uint32_t end;
    bool write;
};

// Host pointer of a local address. Valid for the whole local memory of the core plus a guard.
uint8_t* local(uint8_t position, uint32_t address);

// False in timing-only mode: checks and trace only, no values.
bool functional();
// Doubtful calls act as the operator evidently means them, not as they are documented.
bool as_meant();

// Run the checks (bounds, alignment, overlap, clocks) for one instruction and record it.
void instruction(Pipe pipe, const TraceRecord& record, const Access* accesses, int count, const char* api);

// The function that is running waits for its vector instructions and moves the result with the scalar unit, so that
// whatever the scalar unit starts later comes after them. Its cost is part of the function's.
void scalar_takes_result();

// PipeBarrier<PIPE_V> between the steps of a composite function.
void vector_barrier();

// Report something wrong. `fatal` ends the run of this kernel. `severity`: 0 error, 1 warning, 2 doubt.
void violation(const char* code, int severity, const char* api, const char* format, ...);
[[noreturn]] void fatal(const char* code, const char* api, const char* format, ...);

// Vector mask state (norm or counter mode, two words), as SetVectorMask and SetMaskCount leave it.
struct MaskState {
    bool counter;
    uint64_t low;
    uint64_t high;
    // Registers beside the mask that vector instructions read or write: CMPMASK (128 bits, Compare without dst), the
    // scale of int32 -> half casts, and whether half results beyond 65504 become infinity (true) or saturate.
    uint64_t compare[2] = {0, 0};
    float deq_scale = 1.0f;
    bool infinities = true;
    // What the last reductions left: the sum, and the extreme with its index, as bits of their type.
    uint64_t reduced[3] = {0, 0, 0};  // by AscRegister
    uint16_t merged[4] = {};          // records that MrgSort took of each list
    uint64_t addresses[8][8] = {};    // VA registers
};
MaskState& mask();

// A library function that is given no scratch takes what it needs behind the buffers (documented: the framework does).
void take_scratch(uint64_t bytes, const char* api);

// An instruction uses the last 8 KB of UB as scratch: nothing else may lie there.
void use_reserved(const char* api, uint32_t bytes = 8 * 1024);

// Bytes of the memory that a position names (UB, L1 ...); 0 if the chip has none.
uint32_t local_bytes(uint8_t position);

// Timing-only mode met something whose time depends on data: the result says so.
void data_dependent(const char* api);

}  // namespace ascendopt::rt
