// The C ABI between the kernel headers (thin templates, compiled with each candidate at -O0) and the prebuilt
// runtime. Keep it small: one entry for all vector instructions, one for all DMA, a few for queues and flags.
#pragma once
#include <cstdint>

// A tensor operand in local memory: byte address inside its memory, and the bytes left up to the tensor's end.
struct AscLocal {
    uint32_t address;
    uint32_t bytes;
    uint8_t dtype;     // ascendopt::Dtype
    uint8_t position;  // TPosition
    uint16_t reserved;
};

enum AscForm : uint8_t { kAscCount = 0, kAscMaskLength = 1, kAscMaskBits = 2 };

// One vector call. `mode` is the rounding, comparison or selection mode. Strides are in 32 B blocks.
struct AscVector {
    uint16_t op;  // ascendopt::Op
    uint8_t form;
    uint8_t mode;
    uint8_t sources;  // 0..3 tensor sources
    uint8_t has_scalar;
    uint8_t set_mask;  // false: the caller's SetVectorMask stands
    uint8_t option;    // per-op switch (reduce: 1 = index wanted; select: mode; gather mask: pattern)
    uint32_t count;
    uint32_t repeat;
    uint64_t mask[2];
    uint16_t dst_block, src_block[2];
    uint16_t dst_repeat, src_repeat[2];
    uint64_t scalar;  // bit pattern in the scalar's own type
    uint8_t scalar_dtype;
    AscLocal dst;
    AscLocal src[3];
    AscLocal tmp;
    const char* api;  // name as the user wrote it, for messages
};

enum AscDmaKind : uint8_t { kAscGmToLocal = 0, kAscLocalToGm = 1, kAscLocalToLocal = 2 };

// One call of a function that stands for a sequence of vector instructions. What `value` holds is said where the header
// of the function fills it in (include/kernel/api) and where the runtime reads it (rt/composite_*.cpp).
struct AscComposite {
    uint16_t op;  // ascendopt::Composite
    uint8_t outputs, inputs;
    AscLocal out[5];
    AscLocal in[8];
    AscLocal tmp;  // scratch that the caller gives; no bytes: the function takes what no buffer uses
    uint64_t value[12];
    const char* api;
};

// Registers that instructions leave a result in: the sum, the extreme and its index, the records that MrgSort took.
enum AscRegister : uint8_t { kAscReduceSum = 0, kAscExtremeValue, kAscExtremeIndex, kAscMerged };

// One DMA call. Row length and gaps come normalised to bytes; gaps run from the end of a row to the start of the next.
struct AscDma {
    uint8_t kind;         // AscDmaKind
    uint8_t pad;          // 1: DataCopyPad (rows of any length, local rows rounded up to 32 B)
    uint8_t is_pad;       // DataCopyPad GM->local: left/right padding takes `pad_value`
    uint8_t left, right;  // padding in elements
    uint8_t dtype;        // ascendopt::Dtype of the element
    uint8_t size;         // bytes of the element
    uint8_t l2_bypass;    // the global tensor's cache hint is CACHE_MODE_DISABLE
    uint8_t fractals;     // local to local: between L0C and UB, on chips whose vector unit reaches L0C
    uint32_t rows;
    uint32_t row_bytes;
    uint64_t gm_gap;
    uint32_t local_gap;
    uint32_t local_gap_dst;  // local to local: gap of the destination
    uint64_t pad_value;      // bit pattern
    uint64_t gm;             // host address
    AscLocal local;
    AscLocal local_dst;  // local to local
    const char* api;
};

// Kinds of a scalar access.
enum AscAccess : uint8_t { kAscRead = 0, kAscWrite = 1, kAscReadWrite = 2 };

enum AscAtomic : uint8_t { kAscAtomicOff = 0, kAscAtomicAdd, kAscAtomicMax, kAscAtomicMin, kAscAtomicKeep = 255 };

// A cell of global memory by which cores signal each other.
struct AscCoreSignal {
    uint64_t gm;  // host address of the workspace
    AscLocal scratch;
    int32_t block;  // IBSet, IBWait: the core that sets; SyncAll: the number of cores, 0 for all
    int32_t event;
};

// Cores that wait for a group of others.
struct AscGroup {
    uint64_t gm;  // host address of the workspace
    uint32_t arriving, waiting;
};

// Steps of a sequence of cores, one after another.
enum AscTurn : uint8_t { kAscTurnInit = 0, kAscTurnWait, kAscTurnPass };

// Questions that asc_que_query answers.
enum AscQueQuery : uint8_t { kAscQueVacant = 0, kAscQueIdle, kAscQueTensors, kAscQueFull };

extern "C" {
void asc_vector(const AscVector* call);
void asc_composite(const AscComposite* call);
uint64_t asc_vector_register(uint8_t which);                     // AscRegister; bits in the type of the reduction
void asc_va_register(uint8_t which, const uint64_t* addresses);  // eight addresses
const uint64_t* asc_va_list(uint8_t first);                      // sixteen: of this register and the next
uint16_t asc_float_to_half(float value, uint8_t round);          // RoundMode
void asc_dma(const AscDma* call);

// Local memory. The address of a tensor is a byte offset in its memory; `bytes` is set to the buffer's length.
void asc_pipe_open(void* pipe);
void asc_pipe_close(void* pipe, uint8_t destroy);  // destroy 0: Reset
void* asc_pipe_current();
uint32_t asc_buffer_init(uint8_t position, uint64_t bytes);
uint32_t asc_que_init(uint8_t src, uint8_t dst, uint32_t number, uint64_t bytes, uint64_t base, uint8_t has_base);
// Where one buffer of a queue lies, for pools that operators write.
void asc_que_place(uint32_t que, uint32_t index, uint32_t address);
// Queues with buffers in this range of the memory of `position`: waits until their buffers are free.
void asc_pool_reset(uint8_t position, uint32_t begin, uint32_t end);
uint32_t asc_que_alloc(uint32_t que, uint32_t* bytes);
void asc_que_enque(uint32_t que, uint32_t address);
// EnQue<src, dst>: orders the pipes of those positions instead of the ends of the queue.
void asc_que_enque_between(uint32_t que, uint32_t address, uint8_t src, uint8_t dst);
uint32_t asc_que_deque(uint32_t que, uint32_t* bytes);
void asc_que_free(uint32_t que, uint32_t address);
uint32_t asc_que_query(uint32_t que, uint8_t what);
uint8_t asc_que_state(uint32_t que, uint32_t address);  // TBufState
void asc_que_forget(uint32_t que);                      // waits for all events of the queue

// Host memory behind a local address, unchecked.
void* asc_local(uint8_t position, uint32_t address);
// The local memory that a host pointer lies in, from there to its end; 0 if it lies in none.
uint8_t asc_local_find(const void* pointer, AscLocal* where);
// The part of UB that no buffer uses; no bytes if there is none.
void asc_stack_buffer(AscLocal* where);
// Scalar accesses: checked, counted; the returned pointer is valid for `bytes` (a scratch place if out of range).
void* asc_local_access(const AscLocal* tensor, uint32_t offset, uint8_t bytes, uint8_t write);
void* asc_gm_access(uint64_t address, uint8_t bytes, uint8_t write);

void asc_flag_set(uint8_t src, uint8_t dst, int32_t event);  // pipes: ascendopt::Pipe
void asc_flag_wait(uint8_t src, uint8_t dst, int32_t event);
int32_t asc_event_fetch(uint8_t src, uint8_t dst);
int32_t asc_event_alloc(uint8_t src, uint8_t dst);
void asc_event_release(uint8_t src, uint8_t dst, int32_t event);
void asc_barrier(uint8_t pipe);  // ascendopt::Pipe, or 255 for all
void asc_sync_all(uint8_t vector_only);
void asc_sync_some(const AscCoreSignal* call);  // SyncAll by global memory
void asc_cross_set(uint8_t mode, uint8_t pipe, uint8_t flag);
void asc_cross_wait(uint8_t flag);
void asc_signal_set(const AscCoreSignal* call);
void asc_signal_wait(const AscCoreSignal* call);
void asc_group_arrive(const AscGroup* group, uint32_t index);
void asc_group_wait(const AscGroup* group, uint32_t index);
void asc_turn(uint8_t step, const AscCoreSignal* call);

void asc_cache_clean(uint64_t address, uint8_t whole);  // the scalar unit's cache, one line or all of it

// mode: AscAtomic. dtype 255: the element type of each copy.
void asc_atomic(uint8_t mode, uint8_t dtype);
void asc_pad_value(uint64_t bits);  // what DataCopyPad pads with where its own parameters say nothing
void asc_mask_bits(uint64_t high, uint64_t low);
void asc_mask_mode(uint8_t counter);

int64_t asc_block_idx();
int64_t asc_block_raw();              // of the AI Core, not counting its vector cores
uint8_t asc_core_type();              // 1 cube, 2 vector
int64_t asc_sub_block(uint8_t what);  // 0: index in the AI Core, 1: number of cores of the kind, 2: their ratio
// Which cores the kernel runs on (KernelMetaType); `specific`: only for this tiling key.
void asc_task_type(uint8_t type, uint64_t key, uint8_t specific);
int64_t asc_block_num();
uint64_t asc_tiling_key();
void asc_tiling(void* to, uint64_t from, uint64_t bytes);
uint8_t* asc_workspace_user(uint8_t* workspace);
uint8_t* asc_workspace_system();
int64_t asc_cycle();
void asc_assert(const char* condition);
void asc_trap();
}
