#include "repetition.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "state.h"
#include "trace_merge.h"

namespace ascendopt::rt {

namespace {

// A script is worth its memory where many cores follow it.
constexpr size_t kMostCalls = 200'000;
constexpr size_t kMostWords = 2'000'000;
constexpr size_t kRoom = 2048;
constexpr size_t kMostPlaces = 1 << 20;
constexpr int kMostCredit = 8;
constexpr uint64_t kGranule = 512;
constexpr size_t kGmWord = offsetof(AscDma, gm) / sizeof(uint64_t);
constexpr uint64_t kUnknownShift = ~uint64_t{0};
static_assert(offsetof(AscDma, gm) % sizeof(uint64_t) == 0 && sizeof(AscDma) % sizeof(uint64_t) == 0);
static_assert(sizeof(AscVector) % sizeof(uint64_t) == 0 && sizeof(AscComposite) % sizeof(uint64_t) == 0);

// There are few words: no call of a function for them.
inline bool equal(const uint64_t* a, const uint64_t* b, size_t count) {
    uint64_t differs = 0;
    for (size_t i = 0; i < count; ++i) differs |= a[i] ^ b[i];
    return differs == 0;
}

// Does a noted call again, for its effect on the running core.
void perform(const NotedCall& call, const uint64_t* words) {
    const auto byte = [words](size_t index) { return static_cast<uint8_t>(words[index]); };
    const auto half = [words](size_t index) { return static_cast<uint32_t>(words[index]); };
    const auto event = [words](size_t index) { return static_cast<int32_t>(words[index]); };
    uint32_t bytes;
    AscLocal where;
    switch (call.kind) {
        case CallKind::Vector:
            return asc_vector(reinterpret_cast<const AscVector*>(words));
        case CallKind::Composite:
            return asc_composite(reinterpret_cast<const AscComposite*>(words));
        case CallKind::Copy:
            return asc_dma(reinterpret_cast<const AscDma*>(words));
        case CallKind::Tiling:
            return asc_tiling(nullptr, words[0], words[1]);
        case CallKind::PipeOpen:
            return asc_pipe_open(reinterpret_cast<void*>(words[0]));
        case CallKind::PipeClose:
            return asc_pipe_close(reinterpret_cast<void*>(words[0]), byte(1));
        case CallKind::PipeCurrent:
            asc_pipe_current();
            return;
        case CallKind::BufferInit:
            asc_buffer_init(byte(0), words[1]);
            return;
        case CallKind::QueueInit:
            asc_que_init(byte(0), byte(1), half(2), words[3], words[4], byte(5));
            return;
        case CallKind::QueuePlace:
            return asc_que_place(half(0), half(1), half(2));
        case CallKind::PoolReset:
            return asc_pool_reset(byte(0), half(1), half(2));
        case CallKind::QueueAlloc:
            asc_que_alloc(half(0), &bytes);
            return;
        case CallKind::Enqueue:
            return asc_que_enque(half(0), half(1));
        case CallKind::EnqueueBetween:
            return asc_que_enque_between(half(0), half(1), byte(2), byte(3));
        case CallKind::Dequeue:
            asc_que_deque(half(0), &bytes);
            return;
        case CallKind::QueueFree:
            return asc_que_free(half(0), half(1));
        case CallKind::QueueState:
            asc_que_state(half(0), half(1));
            return;
        case CallKind::QueueForget:
            return asc_que_forget(half(0));
        case CallKind::QueueQuery:
            asc_que_query(half(0), byte(1));
            return;
        case CallKind::StackBuffer:
            return asc_stack_buffer(&where);
        case CallKind::FlagSet:
            return asc_flag_set(byte(0), byte(1), event(2));
        case CallKind::FlagWait:
            return asc_flag_wait(byte(0), byte(1), event(2));
        case CallKind::EventFetch:
            asc_event_fetch(byte(0), byte(1));
            return;
        case CallKind::EventAlloc:
            asc_event_alloc(byte(0), byte(1));
            return;
        case CallKind::EventRelease:
            return asc_event_release(byte(0), byte(1), event(2));
        case CallKind::Barrier:
            return asc_barrier(byte(0));
        case CallKind::MaskBits:
            return asc_mask_bits(words[0], words[1]);
        case CallKind::MaskMode:
            return asc_mask_mode(byte(0));
        case CallKind::Atomic:
            return asc_atomic(byte(0), byte(1));
        case CallKind::PadValue:
            return asc_pad_value(words[0]);
    }
}

}  // namespace

bool repeats(void* frame, const AscVector& call) {
    return current->repetition.next(frame, CallKind::Vector, &call, sizeof call / sizeof(uint64_t)) != nullptr;
}

bool repeats(void* frame, const AscComposite& call) {
    return current->repetition.next(frame, CallKind::Composite, &call, sizeof call / sizeof(uint64_t)) != nullptr;
}

void end_repetition() { current->repetition.leave(); }

void Repetition::begin(size_t cores, size_t places) {
    *this = {};
    if (functional() || cores <= places) return;
    places_.resize(places);
}

Repetition::Place& Repetition::place() { return places_[core().index % places_.size()]; }

void Repetition::core_starts() {
    state_ = State::Off;
    if (places_.empty() || place().credit <= 0) return;
    Launch& launch = *current;
    Script* script = place().script.get();
    if (!script) return start_notes();
    if (!launch.dirty.empty()) return;
    if (launch.recorded + launch.result.trace.unique[script->trace].records.size() > kRecordLimit) return;
    state_ = State::Following;
    leader_ = script;
    at_ = flags_ = 0;
    hosts_.clear();
    devices_.clear();
    shifts_.assign(launch.allocations.size(), kUnknownShift);
}

void Repetition::start_notes() {
    state_ = State::Noting;
    script_ = std::make_unique<Script>();
    script_->calls.reserve(kRoom);
    reports_before_ = reports_;
}

bool Repetition::core_ends() {
    if (state_ != State::Following) return false;
    if (at_ < leader_->calls.size()) {
        make_up();
        return false;
    }
    Core& here = core();
    use_global_memory();
    here.instructions = leader_->instructions;
    current->result.instructions += leader_->instructions;
    current->sequence += leader_->sequence;
    state_ = State::Off;
    followed_ = true;
    place().credit = std::min(kMostCredit, place().credit + 1);
    return true;
}

// What its copies did there, in the order in which they came.
void Repetition::use_global_memory() {
    Launch& launch = *current;
    fresh_.clear();
    constexpr size_t kAhead = 8;
    for (size_t i = 0; i < leader_->copies.size(); ++i) {
        const NotedCopy& noted = leader_->copies[i];
        if (i + kAhead < devices_.size()) launch.l2.prefetch(devices_[i + kAhead]);
        gm_repeated(noted, devices_[i]);
        if (noted.writes) launch.l2.store(devices_[i], noted.bytes);
        fresh_.push_back(!noted.writes && launch.l2.load(devices_[i], noted.bytes) ? 1 : 0);
    }
}

bool Repetition::core_retires(Core& done) {
    Launch& launch = *current;
    if (!followed_) {
        if (state_ != State::Noting) return true;
        for (uint32_t i = 0; i < done.records.size(); ++i) {
            if (done.records[i].kind == TraceKind::Transfer) script_->transfers.push_back(i);
        }
        // Most likely the others' copies are as many.
        const size_t copies = std::min<size_t>(kMostPlaces, script_->copies.size() * launch.cores.size());
        if (done.index < places_.size()) launch.l2.reserve(copies / places_.size());
        script_->instructions = done.instructions;
        script_->sequence = launch.sequence - done.start;
        return true;
    }
    followed_ = false;
    add_trace_of_follower(done.index);
    return false;
}

// Calls take(index, record) for what the core that was compared has in place of each transfer of `known`.
template <class Take>
void Repetition::each_transfer(const std::vector<TraceRecord>& known, Take take) const {
    size_t copy = 0;
    for (const uint32_t index : leader_->transfers) {
        TraceRecord own = known[index];
        own.event = 0;
        own.fresh = 0;
        if (copy < leader_->copies.size() && leader_->copies[copy].record == index) {
            own.gm_address = devices_[copy];
            own.fresh = fresh_[copy++];
        }
        take(index, own);
    }
}

void Repetition::add_trace_of_follower(uint32_t core) {
    LaunchTrace& traces = current->result.trace;
    offsets_.clear();
    bool aligned = true;
    for (size_t i = 0; i < devices_.size(); ++i) {
        offsets_.push_back(static_cast<uint16_t>(devices_[i] % kGranule));
        aligned = aligned && (devices_[i] - leader_->copies[i].device) % kGranule == 0;
    }
    const auto like = std::find_if(leader_->variants.begin(), leader_->variants.end(),
                                   [this](const Script::Variant& each) { return each.offsets == offsets_; });
    if (aligned || like != leader_->variants.end()) {
        const uint32_t trace = aligned ? leader_->trace : like->trace;
        std::vector<TraceRecord>& known = traces.unique[trace].records;
        each_transfer(known, [&](uint32_t index, const TraceRecord& own) { merge(known[index], own); });
        traces.core_to_trace[core] = trace;
        return;
    }
    std::vector<TraceRecord> records = traces.unique[leader_->trace].records;
    each_transfer(records, [&](uint32_t index, const TraceRecord& own) { records[index] = own; });
    const size_t count = records.size();
    if (add_trace(traces, core, records)) current->recorded += count;
    leader_->variants.push_back({offsets_, traces.core_to_trace[core]});
}

void Repetition::core_retired(const Core& done) {
    if (state_ != State::Noting) return;
    state_ = State::Off;
    script_->trace = current->result.trace.core_to_trace[done.index];
    Place& here = places_[done.index % places_.size()];
    if (reports_ == reports_before_) {
        here.script = std::move(script_);
    } else {
        --here.credit;
    }
    script_.reset();
}

void Repetition::give_up() {
    --place().credit;
    if (state_ == State::Following) make_up();
    state_ = State::Off;
    script_.reset();
}

const NotedCall* Repetition::compared(void* frame, CallKind kind, const uint64_t* arguments, uint32_t words) {
    if (state_ == State::Following) {
        if (at_ < leader_->calls.size() && repeats(leader_->calls[at_], frame, kind, arguments, words)) {
            const NotedCall& noted = leader_->calls[at_++];
            flags_ += kind == CallKind::FlagSet;
            core().entered(frame, noted.api);
            return &noted;
        }
        --place().credit;
        make_up();
    }
    if (state_ == State::Noting) note_here(frame, kind, arguments, words);
    return nullptr;
}

bool Repetition::repeats(const NotedCall& noted, void* frame, CallKind kind, const uint64_t* arguments,
                         uint32_t words) {
    const auto* top = static_cast<const uintptr_t*>(frame);
    const Core& here = core();
    if (noted.kind != kind || noted.words != words || noted.return_address != top[1]) return false;
    if (noted.frame != top[0] - reinterpret_cast<uintptr_t>(here.stack)) return false;
    if (noted.outer != reinterpret_cast<const uintptr_t*>(top[0])[1]) return false;
    const uint64_t* theirs = leader_->words.data() + noted.arguments;
    if (kind == CallKind::Copy) {
        return equal(arguments, theirs, kGmWord) &&
               equal(arguments + kGmWord + 1, theirs + kGmWord + 1, words - kGmWord - 1) &&
               (!noted.global || repeats_copy(leader_->copies[hosts_.size()], arguments[kGmWord]));
    }
    if (!equal(arguments, theirs, words)) return false;
    if (kind != CallKind::FlagSet) return true;
    uint32_t sites[kMostSites];
    const int count = walk(top[1], reinterpret_cast<const void*>(top[0]), sites, kMostSites);
    const std::vector<uint32_t>& noted_sites = leader_->flag_sites[flags_];
    return std::equal(sites, sites + count, noted_sites.begin(), noted_sites.end());
}

// Wholly inside of the same argument, where the core's copies lie to each other as those of the noted core do.
bool Repetition::repeats_copy(const NotedCopy& noted, uint64_t host) {
    const Allocation& at = current->allocations[noted.allocation];
    const uint64_t shift = host - noted.host;
    if (host < at.host || host + noted.span > at.host + at.bytes) return false;
    uint64_t& known = shifts_[noted.allocation];
    if (known != shift && known != kUnknownShift && current->request->check_races && !at.constant) return false;
    known = shift;
    hosts_.push_back(host);
    devices_.push_back(at.device + (host - at.host));
    return true;
}

void Repetition::note_here(void* frame, CallKind kind, const uint64_t* arguments, uint32_t words) {
    const auto* top = static_cast<const uintptr_t*>(frame);
    Core& here = core();
    const uint64_t place = top[0] - reinterpret_cast<uintptr_t>(here.stack);
    if (place + 2 * sizeof(uintptr_t) > current->request->stack_bytes || script_->calls.size() >= kMostCalls ||
        script_->words.size() + words > kMostWords) {
        return give_up();
    }
    here.entered(frame, "");
    NotedCall made{};
    made.kind = kind;
    made.words = static_cast<uint16_t>(words);
    made.return_address = top[1];
    made.frame = static_cast<uint32_t>(place);
    made.api = "";
    made.outer = reinterpret_cast<const uintptr_t*>(top[0])[1];
    made.site = site_now();
    note(made, arguments);
    if (kind == CallKind::FlagSet) script_->flag_sites.push_back(sites_now());
}

void Repetition::note(const NotedCall& call, const uint64_t* arguments) {
    NotedCall& made = script_->calls.emplace_back(call);
    made.arguments = static_cast<uint32_t>(script_->words.size());
    made.instructions = core().instructions;
    made.global = false;
    script_->words.insert(script_->words.end(), arguments, arguments + made.words);
}

void Repetition::make_up() {
    const Script& leader = *leader_;
    const size_t count = at_;
    start_notes();
    state_ = State::MakingUp;
    flags_ = 0;
    size_t copy = 0;
    std::vector<uint64_t> words;
    for (size_t i = 0; i < count; ++i) {
        const NotedCall& call = leader.calls[i];
        words.assign(leader.words.begin() + static_cast<ptrdiff_t>(call.arguments),
                     leader.words.begin() + static_cast<ptrdiff_t>(call.arguments + call.words));
        if (call.global) words[kGmWord] = hosts_[copy++];
        made_up_ = &call;
        note(call, words.data());
        if (call.kind == CallKind::FlagSet) script_->flag_sites.push_back(leader.flag_sites[flags_]);
        perform(call, words.data());
        flags_ += call.kind == CallKind::FlagSet;
    }
    made_up_ = nullptr;
    leader_ = nullptr;
    state_ = State::Noting;
}

}  // namespace ascendopt::rt
