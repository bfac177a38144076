// Cores that make the calls of a core before them. Internal to rt/.
//
// In timing mode what a call does to its core, and the record that it leaves, follow from its arguments and from the
// calls before it; only where in global memory a copy goes is a core's own. So the calls of one core are noted, and the
// next one's are compared with them one by one instead of being worked out again. A core that ends as the noted one did
// has the same trace at other addresses. One that makes another call first makes up for its calls so far, and goes on
// as if it had never been compared.
#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "../abi/rt.h"
#include "../abi/trace.h"

namespace ascendopt::rt {

struct Core;

// The calls that can be repeated: those that change nothing but their own core, and that read nothing but their
// arguments and its state.
enum class CallKind : uint8_t {
    Vector,
    Composite,
    Copy,
    Tiling,
    PipeOpen,
    PipeClose,
    PipeCurrent,
    BufferInit,
    QueueInit,
    QueuePlace,
    PoolReset,
    QueueAlloc,
    Enqueue,
    EnqueueBetween,
    Dequeue,
    QueueFree,
    QueueState,
    QueueForget,
    QueueQuery,
    StackBuffer,
    FlagSet,
    FlagWait,
    EventFetch,
    EventAlloc,
    EventRelease,
    Barrier,
    MaskBits,
    MaskMode,
    Atomic,
    PadValue,
};

// What a call gave back.
struct CallResult {
    uint64_t first = 0;
    uint64_t second = 0;
};

// One cache line.
struct NotedCall {
    uintptr_t return_address;  // in the header's function
    uintptr_t outer;           // that function's, at the user's line
    uint32_t frame;            // the function's, from the bottom of the stack
    uint32_t site;             // of the user's line
    uint32_t arguments;        // where they begin in Script::words
    uint16_t words;            // of them
    CallKind kind;
    bool global;  // a copy from or to global memory
    CallResult result;
    const char* api;
    uint64_t instructions;  // of the core, before the call
};
static_assert(sizeof(NotedCall) == 64, "a call of a script");

// A copy from or to global memory: what it does there.
struct NotedCopy {
    uint64_t host;  // the noted core's own addresses
    uint64_t device;
    uint64_t span;  // bytes from the first to the last
    uint32_t allocation;
    uint32_t record;
    uint32_t sequence;  // counted from the core's start
    uint32_t site;
    uint64_t bytes;  // that are moved
    Pipe pipe;
    // Of GmAccess; no pieces: nobody looks at it.
    uint32_t pieces = 0;
    uint64_t pitch = 0;
    uint64_t piece_bytes = 0;
    bool writes = false;
    bool atomic = false;
    bool repeats = false;
};

// The calls of one core.
struct Script {
    std::vector<NotedCall> calls;
    std::vector<uint64_t> words;
    std::vector<NotedCopy> copies;
    std::vector<std::vector<uint32_t>> flag_sites;  // of each SetFlag
    std::vector<uint32_t> transfers;                // indices of these records
    uint64_t instructions = 0;
    uint32_t sequence = 0;  // that it took
    uint32_t trace = 0;     // index into LaunchTrace::unique
    // Traces of cores that followed it elsewhere in a granule: where their copies begin there.
    struct Variant {
        std::vector<uint16_t> offsets;
        uint32_t trace;
    };
    std::vector<Variant> variants;
};

// One launch's. A core is noted or compared only while no other one runs: what makes it wait cannot be repeated.
class Repetition {
  public:
    // `places`: cores of an AI Core; each runs code of its own.
    void begin(size_t cores, size_t places);

    void core_starts();
    // Whether the core has made all the calls of another one: then it has ended as that one did.
    bool core_ends();
    // Its records are complete. False if it was compared to the end and has none; then its trace is the launch's now.
    bool core_retires(Core& done);
    // The trace that it has got.
    void core_retired(const Core& done);
    // The running core makes a call that cannot be repeated.
    void leave() {
        if (state_ == State::Noting || state_ == State::Following) give_up();
    }

    // Before the work of a call: the noted one if the running core repeats it, and nothing is left to do; else nullptr.
    const NotedCall* next(void* frame, CallKind kind, const void* arguments, uint32_t words) {
        if (state_ == State::Off || state_ == State::MakingUp) return nullptr;
        return compared(frame, kind, static_cast<const uint64_t*>(arguments), words);
    }
    void named(const char* api) {
        if (state_ == State::Noting && !script_->calls.empty()) script_->calls.back().api = api;
    }
    // After it: what it gave back, and what it did in global memory (nullptr: nobody wants to know).
    void gave(uint64_t first, uint64_t second = 0) {
        if (script_) script_->calls.back().result = {first, second};
    }
    NotedCopy* copied() {
        if (!script_) return nullptr;
        script_->calls.back().global = true;
        return &script_->copies.emplace_back();
    }
    // A core that something was said about is no model for others.
    void reported() { ++reports_; }

    // The call that is made up for; nullptr while the kernel itself calls.
    const NotedCall* made_up() const { return made_up_; }
    const std::vector<uint32_t>& made_up_sites() const { return leader_->flag_sites[flags_]; }
    // Instructions of the running core where they are not counted; for signal handlers.
    bool follows() const { return state_ == State::Following; }
    uint64_t instructions() const {
        return at_ < leader_->calls.size() ? leader_->calls[at_].instructions : leader_->instructions;
    }

  private:
    // Off: neither noted nor compared. MakingUp: doing at once what was only compared so far.
    enum class State : uint8_t { Off, Noting, Following, MakingUp };

    struct Place {
        std::unique_ptr<Script> script;
        int credit = 4;  // cores that may turn out to be different before no more are compared
    };

    std::vector<Place> places_;
    State state_ = State::Off;
    std::unique_ptr<Script> script_;  // of the core that is noted
    uint64_t reports_ = 0, reports_before_ = 0;

    // Of the core that is compared.
    Script* leader_ = nullptr;
    size_t at_ = 0;                // calls that it has repeated,
    size_t flags_ = 0;             // SetFlags among them,
    std::vector<uint64_t> hosts_;  // and where its copies go
    std::vector<uint64_t> devices_;
    std::vector<uint16_t> fresh_;
    std::vector<uint64_t> shifts_;  // by allocation: how far from the noted core's
    std::vector<uint16_t> offsets_;
    bool followed_ = false;
    const NotedCall* made_up_ = nullptr;

    Place& place();
    const NotedCall* compared(void* frame, CallKind kind, const uint64_t* arguments, uint32_t words);
    bool repeats(const NotedCall& noted, void* frame, CallKind kind, const uint64_t* arguments, uint32_t words);
    bool repeats_copy(const NotedCopy& noted, uint64_t host);
    void note(const NotedCall& call, const uint64_t* arguments);
    void note_here(void* frame, CallKind kind, const uint64_t* arguments, uint32_t words);
    void start_notes();
    void give_up();
    void make_up();
    void use_global_memory();
    void add_trace_of_follower(uint32_t core);
    template <class Take>
    void each_transfer(const std::vector<TraceRecord>& known, Take take) const;
};

}  // namespace ascendopt::rt
