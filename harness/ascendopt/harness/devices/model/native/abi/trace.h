// The trace: what the runtime records while a kernel runs and what the replay turns into time.
// Records hold features, never cycles, so that one trace replays under any set of timing parameters.
#pragma once
#include <cstdint>
#include <vector>

namespace ascendopt {

enum class Pipe : uint8_t { S = 0, V, M, MTE1, MTE2, MTE3, FIX, Count };

enum class TraceKind : uint8_t {
    Instr = 0,   // one vector or cube instruction on `pipe`
    Transfer,    // one DMA instruction on `pipe`
    SetFlag,     // pipe -> dst_pipe, `event`
    WaitFlag,    // dst_pipe waits for `event` of pipe
    Barrier,     // PipeBarrier on one pipe
    BarrierAll,  // PipeBarrier<PIPE_ALL>
    SyncAll,     // all cores meet
    Scalar,      // scalar work only (end of kernel, or counters about to overflow)
    CrossSet,    // after `pipe`, tells other cores: `event` is the flag, `op` a CrossMode
    CrossWait,   // the scalar unit waits until other cores have told it `event`, or `gm_address` (CrossMode::Signal)
};

// Whom a CrossSet tells, once all that tell together have said it.
enum class CrossMode : uint16_t {
    All = 0,  // the cores of its kind, or the first `elements` of them, tell each other
    Pair,     // the vector cores of an AI Core tell each other
    Group,    // the cube core of an AI Core tells its vector cores, or they tell it
    Signal,   // whoever waits for `gm_address`
    Count
};
constexpr uint8_t kBarrierFlag = 16;  // of a SyncAll that not all cores take part in; users have 0 to 15

// What an instruction on M, MTE1 or FIX does; there `op` is one of these.
enum class CubeOp : uint16_t {
    None = 0,
    Mmad,       // repeats: steps of 16 x 16 x the width of a fractal; elements: m * n
    LoadA,      // elements: bytes that reach L0A
    LoadB,      // elements: bytes that reach L0B
    LoadTable,  // elements: bytes that reach the bias table or the fixpipe buffer
    Fill,       // elements: bytes that are set
    Fixpipe,    // elements: bytes that leave for L1
    MmadHf32,   // as Mmad, with binary32 operands at twice the rate
};

enum TraceFlag : uint8_t {
    kBankReadRead = 1,     // both sources of a repeat in one bank group
    kBankReadWrite = 2,    // a source and the destination in one bank, not the same address
    kL2Bypass = 4,         // transfer with the L2 cache disabled
    kPartialReadRead = 8,  // a source block is reused by every repeat while the other one moves
    kToL1 = 16,            // transfer between GM and L1 instead of UB
    kPad = 32,             // DataCopyPad
    kGmWrite = 64,         // transfer that writes GM
    kMaskKept = 64,        // Instr: the mask registers stood as they were
    kAtomic = 128,
};

// 48 bytes. The scalar counters say what the scalar unit did since the record before this one.
struct TraceRecord {
    TraceKind kind;
    Pipe pipe;
    Pipe dst_pipe;
    // Flags: their number. Instr on V: most blocks that an operand has in one bank group. Transfer that reads GM: other
    // cores with this trace that read the same address.
    uint8_t event;
    uint16_t op;          // Instr: Op (abi/ops.h) on V, CubeOp on M, MTE1 and FIX
    uint8_t dtype;        // Instr: Dtype of the wider operand; Transfer: element type
    uint8_t flags;        // TraceFlag
    uint32_t repeats;     // Instr: 256 B repeats; Transfer: rows (blockCount)
    uint32_t elements;    // Instr: elements computed; Transfer: bytes per row, as the GM side counts them
    uint64_t gm_address;  // Transfer: GM virtual address of the first byte (allocations start 512 B aligned)
    uint32_t gm_pitch;    // Transfer: bytes from row start to row start on the GM side
    uint32_t ub_address;  // Transfer: first byte on the UB or L1 side; Instr: destination
    uint16_t scalar_ops;  // API calls issued by the scalar unit besides this record (queue, tensor, flag bookkeeping)
    uint16_t scalar_ub_reads;  // GetValue on UB
    uint16_t scalar_ub_writes;
    uint16_t scalar_gm_reads;
    uint16_t scalar_gm_writes;
    uint16_t fresh;      // Transfer that reads GM: of the cores with this trace, those that are the first to read there
    uint32_t call_site;  // offset of the call's return address in the kernel object; 0 = unknown
};
static_assert(sizeof(TraceRecord) == 48, "trace record layout");

struct CoreTrace {
    std::vector<TraceRecord> records;
};

// One launch: a trace per core that ran (identical cores may share one by index).
struct LaunchTrace {
    std::vector<CoreTrace> unique;        // distinct traces
    std::vector<uint32_t> core_to_trace;  // core -> index into `unique`
    uint8_t cubes = 0;                    // cores of each kind that an AI Core starts; they lie side by side
    uint8_t vectors = 1;
};

}  // namespace ascendopt
