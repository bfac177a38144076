// State of a launch and of its cores. Internal to rt/.
#pragma once
#include <ucontext.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "closed_memory.h"
#include "core.h"
#include "cross_core.h"
#include "filler.h"
#include "gm_order.h"
#include "l2_content.h"
#include "launch.h"
#include "repetition.h"
#include "scalar_windows.h"
#include "shadow.h"

namespace ascendopt::rt {

// Number of sequence numbers a pipe knows of each other pipe.
using Clock = std::array<uint32_t, 8>;

enum class Memory : uint8_t { UB, L1, L0A, L0B, L0C, Bias, Fixpipe, Count };
constexpr int kMemories = static_cast<int>(Memory::Count);

Memory memory_of(uint8_t position);
const char* memory_name(Memory memory);
const char* position_name(uint8_t position);
const char* pipe_name(Pipe pipe);

struct LocalMemory {
    uint8_t* data = nullptr;
    uint32_t bytes = 0;
    std::unique_ptr<Shadow> shadow;
};
using Memories = std::array<LocalMemory, kMemories>;

// A range that InitBuffer handed out.
struct BufferRange {
    uint32_t begin;
    uint32_t end;
    uint8_t position;
    int32_t queue = -1;  // of a queue: its number and that of the buffer
    int32_t buffer = -1;
};

enum class BufferState : uint8_t { Free, Allocated, Queued, Taken };

struct QueueBuffer {
    uint32_t address = 0;
    BufferState state = BufferState::Free;
    int full_event = -1;  // set by EnQue, awaited by DeQue
    Pipe full_from = Pipe::MTE2, full_to = Pipe::V;
    int free_event = -1;  // set by FreeTensor, awaited by the next AllocTensor
    Pipe free_from = Pipe::V, free_to = Pipe::MTE2;
};

// A buffer as its handle travels with a tensor: the queue that it is of, and its number there.
struct BufferHandle {
    int32_t queue;
    int32_t buffer;
};

struct Queue {
    uint8_t source;
    uint8_t destination;
    Pipe producer;
    Pipe consumer;
    Memory memory;
    uint32_t bytes;
    std::vector<QueueBuffer> buffers;
    std::deque<BufferHandle> queued;  // also those of other queues
    uint32_t next = 0;
};

// A flag counts: each SetFlag lets one WaitFlag pass, in their order. Hardly ever does a second one come before that.
struct Flag {
    uint32_t set = 0;  // and not yet waited for
    Clock oldest{};    // what the first of them knew
    std::vector<Clock> later;
    std::vector<uint32_t> sites;  // of a user's SetFlag; empty for queue events
};

struct EventPool {
    uint64_t taken = 0;
    std::vector<Flag> flags;
};
constexpr int kEvents = 8;

struct MatmulState;

enum class CoreStatus : uint8_t { New, Ready, Waiting, Done };

struct Core {
    uint32_t index = 0;
    CoreKind kind = CoreKind::Vector;
    uint32_t block = 0;  // its AI Core
    uint32_t sub = 0;    // among the cores of its kind in the AI Core
    uint32_t order = 0;  // among the cores of its kind in the launch
    Blocked blocked;
    ViewPointer view;      // what it knows of other cores; nothing yet if null
    uint32_t segment = 0;  // counts what it has told other cores
    CoreStatus status = CoreStatus::New;
    ucontext_t context{};
    uint8_t* stack = nullptr;
    std::unique_ptr<Memories> memories;

    uint32_t start = 0;  // sequence number at which this core began
    std::array<Clock, kPipes> clocks{};
    uint32_t vector_barrier = 0;
    std::array<std::array<EventPool, kPipes>, kPipes> events;

    void* pipe = nullptr;
    bool pipe_open = false;
    std::array<uint32_t, kMemories> used{};
    std::array<std::vector<BufferRange>, kMemories> ranges;  // ascending
    std::array<size_t, kMemories> last_range{};              // where the last look-up ended
    std::vector<Queue> queues;

    MaskState mask{false, ~uint64_t{0}, ~uint64_t{0}};
    uint8_t atomic = 0;
    uint8_t atomic_dtype = 255;
    bool has_pad_value = false;  // SetPadValue was called
    uint64_t pad_value = 0;
    uint32_t atomic_site = 0;  // where atomics and the counter mode were turned on
    uint32_t counter_site = 0;
    Filler filler;
    ScalarWindows windows;
    std::array<uint64_t, 16> cube_registers{};  // by AscCubeRegister
    std::vector<std::shared_ptr<MatmulState>> matmuls;

    std::vector<TraceRecord> records;
    TraceRecord dropped{};  // the last one that there was no room for
    uint64_t instructions = 0;
    uint32_t pending_ops = 0;
    uint32_t pending_ub_reads = 0;
    uint32_t pending_ub_writes = 0;
    uint32_t pending_gm_reads = 0;
    uint32_t pending_gm_writes = 0;
    GmHistory gm;
    Polling polling;
    uint64_t beyond = 0;  // where scalar accesses past an argument's end go

    // The call that is in progress: its return address and its caller's frame. Both are copied at entry, because an
    // entry that ends in a tail call gives up its own frame.
    uintptr_t return_address = 0;
    const void* frame = nullptr;
    const char* api = "";

    void entered(const void* entry_frame, const char* name) {
        const auto* words = static_cast<const uintptr_t*>(entry_frame);
        return_address = words[1];
        frame = reinterpret_cast<const void*>(words[0]);
        api = name;
    }
};

struct Allocation {
    uint64_t host;
    uint64_t bytes;
    uint64_t device;  // virtual address, 512 B aligned
    Role role;
    bool has_values;
    bool constant;     // nothing that the kernel may write
    std::string name;  // "argument 0", "argument 1[3]", "tiling"
};

struct Mapping {
    void* base;
    size_t bytes;
};

// Of the kernel object in this process.
struct Segment {
    uintptr_t begin;
    uint64_t bytes;
};

constexpr uint64_t kRecordLimit = 12'000'000;  // 576 MB of trace

struct Launch {
    const LaunchRequest* request = nullptr;
    LaunchResult result;
    std::vector<Core> cores;
    Core* core = nullptr;  // the one that runs
    Task task;
    uint8_t task_from = 0;  // 0: assumed, 1: the kernel's default, 2: the kernel's choice for its tiling key
    bool restart = false;   // the kernel runs on other cores than assumed
    CrossCore cross;
    DirtyLines dirty;
    ucontext_t scheduler{};
    bool dead = false;
    uint32_t sequence = 0;
    uint32_t epoch = 0;
    uint64_t recorded = 0;
    L2Content l2;
    Repetition repetition;
    std::vector<Allocation> allocations;  // by host address
    ClosedMemory closed;
    size_t last_allocation = 0;
    std::vector<uint8_t*> arguments;
    uintptr_t object_begin = 0;
    uintptr_t object_end = 0;
    std::vector<Segment> constants;  // its read-only data: arrays that the kernel declares __gm__
    std::vector<uint8_t*> stacks;
    std::vector<std::unique_ptr<Memories>> spare;
    std::vector<TraceRecord> spare_records;  // empty, with the room of the last core's trace
    std::vector<Mapping> mappings;           // given back when the launch ends

    ~Launch();
};

// The launch that runs in this process; nullptr outside launch(). The C ABI has no handle, so this is its only home.
extern Launch* current;

inline Core& core() { return *current->core; }

// Begins an entry whose call a core may repeat after another one: the noted call if it does. The arguments are all that
// the call's effect depends on, as numbers.
#define ASC_REPEATED(kind, ...) \
    ::ascendopt::rt::repeated(__builtin_frame_address(0), ::ascendopt::rt::CallKind::kind, __VA_ARGS__)
template <class... Values>
const NotedCall* repeated(void* frame, CallKind kind, Values... values) {
    const uint64_t words[] = {static_cast<uint64_t>(values)...};
    return current->repetition.next(frame, kind, words, sizeof...(Values));
}

// Message with everything a report needs; the plain forms of core.h end here.
struct Report {
    explicit Report(const char* what, Severity how = Severity::Error, const char* who = nullptr)
        : code(what), severity(how), api(who) {}

    const char* code;
    Severity severity;
    const char* api;
    std::string pipe;
    std::string buffer;
    std::string need;
    std::string message;
    const std::vector<uint32_t>* sites = nullptr;  // default: where the core is now
};
void report(const Report& report);
[[noreturn]] void abandon();  // leaves the fiber for good
[[noreturn]] void report_fatal(const Report& report);
std::string format(const char* format, ...) __attribute__((format(printf, 1, 2)));

// `return_address` (0: none) and the return addresses from `frame` outward, as offsets in the kernel object.
constexpr int kMostSites = 12;
int walk(uintptr_t return_address, const void* frame, uint32_t* sites, int limit);
std::vector<uint32_t> sites_now();
uint32_t site_now();  // the user's line, by the convention of api/base.h

// Memory between guards, given back when the launch ends. `guard` bytes lie before it, one page after it.
uint8_t* map_for_launch(uint64_t bytes, uint64_t guard);

LocalMemory& open_memory(Memory which);     // fatal if the chip has none
inline LocalMemory& memory(Memory which) {  // of the running core
    LocalMemory& place = (*core().memories)[static_cast<size_t>(which)];
    return place.data ? place : open_memory(which);
}
// Checks one access by `pipe` to local memory and stamps it. False if there was something to say or to wait for.
bool touch(Pipe pipe, Memory which, uint32_t begin, uint32_t end, bool write, const char* api);
// What lies there, for messages: "UB [0, 64), buffer 1 of a VECIN queue".
std::string place_name(Memory which, uint64_t begin, uint64_t end);
// A report, and false, if the place belongs to a queue whose tensor there is free.
bool check_owner(Pipe pipe, Memory which, uint32_t begin, uint32_t end, const char* api);
// Fatal if [begin, end) leaves the memory; a report if it leaves the buffer it began in.
void check_range(Memory which, uint64_t begin, uint64_t end, const char* api);

// What the scalar unit knows passes on, but never its own writes: those need an S_x flag.
constexpr Clock kPassesOn = {0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0};

// What the scalar unit knows passes to `pipe` when it issues there; returns the sequence number of the instruction.
uint32_t issue(Pipe pipe);
void record(const TraceRecord& features);
// The next record, made in place: what the scalar unit did before it and the call's site are there, the rest is zero.
TraceRecord& next_record();
// What a transfer finds in the L2 cache and leaves there.
void bring_in(TraceRecord& transfer);
void flush_scalar();

void set_flag(Pipe from, Pipe to, int event, bool user);
void wait_flag(Pipe from, Pipe to, int event, bool user);
int take_event(Pipe from, Pipe to);
void release_event(Pipe from, Pipe to, int event);
void pipe_barrier(Pipe pipe);
// The flag that the compiler puts in between. False where it puts none: on cube cores, and if the request says so.
bool automatic_sync(Pipe from, Pipe to);
void barrier_all(TraceKind kind);
void inherit(Pipe pipe);  // what S knows passes on with the flag instruction that it issues
void finish_core();       // leaks and left-over flags

// Global memory. `span` checks [address, address + bytes) and returns its allocation.
const Allocation& gm_span(uint64_t address, uint64_t bytes, bool write, const char* api);
void map_arguments();

}  // namespace ascendopt::rt
