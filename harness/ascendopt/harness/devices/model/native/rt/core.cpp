// Instructions, clocks, records and reports of the running core.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "state.h"

namespace ascendopt::rt {

Launch* current = nullptr;

namespace {

constexpr uint32_t kCounterLimit = 60000;  // the trace's scalar counters have 16 bits
constexpr size_t kDistinctReports = 64;

const char* const kPipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

std::string vformat(const char* text, va_list list) {
    char buffer[512];
    std::vsnprintf(buffer, sizeof buffer, text, list);
    return buffer;
}

void hazard(const char* code, Pipe pipe, int other, Memory which, uint32_t begin, uint32_t end, bool write,
            bool other_wrote, const char* api) {
    Report out{code};
    const bool same = other == static_cast<int>(pipe);
    // A scalar write that a later instruction reads is documented to need a flag, but program order often hides it.
    if (other == 0) out.severity = Severity::Warning;
    out.api = api;
    out.pipe = pipe_name(pipe);
    out.need = same ? "PipeBarrier<PIPE_V>" : std::string(kPipeNames[other]) + "_" + pipe_name(pipe);
    out.buffer = place_name(which, begin, end);
    out.message = format("%s on %s %s %s, which %s may still be %s: missing %s%s", api, pipe_name(pipe),
                         write ? "writes" : "reads", out.buffer.c_str(), kPipeNames[other],
                         other_wrote ? "writing" : "reading", out.need.c_str(), same ? "" : " sync");
    report(out);
}

// The buffer that an address lies in.
const BufferRange* range_at(Memory which, uint64_t begin) {
    Core& here = core();
    const auto& ranges = here.ranges[static_cast<size_t>(which)];
    size_t& last = here.last_range[static_cast<size_t>(which)];
    if (last < ranges.size() && ranges[last].begin <= begin && begin < ranges[last].end) return &ranges[last];
    const auto at = std::lower_bound(ranges.begin(), ranges.end(), begin,
                                     [](const BufferRange& range, uint64_t value) { return range.end <= value; });
    if (at == ranges.end() || at->begin > begin) return nullptr;
    last = static_cast<size_t>(at - ranges.begin());
    return &*at;
}

bool is_sum(uint16_t op) {
    switch (static_cast<Op>(op)) {
        case Op::ReduceSum:
        case Op::WholeReduceSum:
        case Op::BlockReduceSum:
        case Op::PairReduceSum:
        case Op::RepeatReduceSum:
            return true;
        default:
            return false;
    }
}

int highest(uint32_t pipes) { return 31 - __builtin_clz(pipes); }

// The flags between the scalar unit and the other pipes of a vector core are the compiler's to set.
void synchronise(Pipe pipe, uint32_t& raw, uint32_t& war) {
    const uint32_t theirs = pipe == Pipe::S ? ~1u : 1u;
    for (int other = 0; other < kPipes; ++other) {
        if (!((raw | war) & theirs & 1u << other) || !automatic_sync(static_cast<Pipe>(other), pipe)) continue;
        raw &= ~(1u << other);
        war &= ~(1u << other);
    }
}

// A sum over bytes that no one has given a value. Other instructions may compute on them: nobody looks at the result.
void check_filler(const TraceRecord& features, const Access& access, const char* api) {
    const uint32_t at = core().filler.find(access.begin, access.end);
    if (at == access.end || !is_sum(features.op)) return;
    Report out{"filler_read", Severity::Error, api};
    out.buffer = place_name(Memory::UB, access.begin, access.end);
    out.message = format(
        "%s sums %s, but from byte %u on lies what DataCopyPad filled the block up with, not zeros: give it padding "
        "with "
        "a value, or sum fewer elements",
        api, out.buffer.c_str(), at);
    report(out);
}

}  // namespace

const char* pipe_name(Pipe pipe) { return kPipeNames[static_cast<int>(pipe)]; }

std::string format(const char* text, ...) {
    va_list list;
    va_start(list, text);
    std::string out = vformat(text, list);
    va_end(list);
    return out;
}

int walk(uintptr_t return_address, const void* frame, uint32_t* sites, int limit) {
    const Launch& launch = *current;
    const auto inside = [&launch](uintptr_t at) { return at >= launch.object_begin && at < launch.object_end; };
    if (!launch.core || !launch.core->stack) return 0;
    const auto low = reinterpret_cast<uintptr_t>(launch.core->stack);
    const uintptr_t high = low + launch.request->stack_bytes;
    int count = 0;
    if (return_address != 0) {
        if (!inside(return_address)) return 0;
        sites[count++] = static_cast<uint32_t>(return_address - launch.object_begin);
    }
    auto at = reinterpret_cast<uintptr_t>(frame);
    while (count < limit && at >= low && at + 2 * sizeof(uintptr_t) <= high && at % sizeof(uintptr_t) == 0) {
        const auto* words = reinterpret_cast<const uintptr_t*>(at);
        if (!inside(words[1])) break;
        sites[count++] = static_cast<uint32_t>(words[1] - launch.object_begin);
        if (words[0] <= at) break;
        at = words[0];
    }
    return count;
}

std::vector<uint32_t> sites_now() {
    const Repetition& repetition = current->repetition;
    if (const NotedCall* call = repetition.made_up()) {
        return call->kind == CallKind::FlagSet ? repetition.made_up_sites() : std::vector<uint32_t>{call->site};
    }
    uint32_t sites[kMostSites];
    const int count = walk(core().return_address, core().frame, sites, kMostSites);
    return std::vector<uint32_t>(sites, sites + count);
}

uint32_t site_now() {
    if (const NotedCall* call = current->repetition.made_up()) return call->site;
    uint32_t sites[2];
    const int count = walk(core().return_address, core().frame, sites, 2);
    return count > 0 ? sites[count - 1] : 0;
}

void report(const Report& in) {
    LaunchResult& result = current->result;
    current->repetition.reported();
    Violation out;
    out.sites = in.sites ? *in.sites : (current->core ? sites_now() : std::vector<uint32_t>{});
    for (Violation& known : result.violations) {
        if (known.code != in.code || known.severity != in.severity) continue;
        const size_t user = out.sites.size() > 1 ? 1 : 0;
        const bool same_place = known.sites.size() > user && out.sites.size() > user
                                    ? known.sites[user] == out.sites[user]
                                    : known.sites.size() == out.sites.size();
        if (same_place || result.violations.size() >= kDistinctReports) {
            ++known.count;
            return;
        }
    }
    if (result.violations.size() >= 2 * kDistinctReports) return;
    out.code = in.code;
    out.severity = in.severity;
    out.message = in.message;
    if (current->core) {
        out.core = core().index;
        out.instruction = core().instructions;
        out.api = in.api ? in.api : core().api;
    }
    out.pipe = in.pipe;
    out.buffer = in.buffer;
    out.need = in.need;
    result.violations.push_back(std::move(out));
}

void abandon() {
    current->dead = true;
    Core& here = core();
    here.status = CoreStatus::Done;
    setcontext(&current->scheduler);
    __builtin_unreachable();
}

void report_fatal(const Report& in) {
    report(in);
    abandon();
}

void violation(const char* code, int severity, const char* api, const char* text, ...) {
    va_list list;
    va_start(list, text);
    Report out{code, static_cast<Severity>(severity), api};
    out.message = vformat(text, list);
    va_end(list);
    report(out);
}

void fatal(const char* code, const char* api, const char* text, ...) {
    {
        va_list list;
        va_start(list, text);
        Report out{code, Severity::Error, api};
        out.message = vformat(text, list);
        va_end(list);
        report(out);
    }
    abandon();
}

bool functional() { return current->request->mode == Mode::Functional; }
bool as_meant() { return current->request->as_meant; }

MaskState& mask() { return core().mask; }

void data_dependent(const char* api) {
    if (functional() || !current->result.timing_valid) return;
    current->result.timing_valid = false;
    current->result.timing_note =
        format("%s reads computed data, so the time may depend on values: run with data", api);
}

void enter_alone(void* frame, const char* api) {
    current->repetition.leave();
    enter(frame, api);
}

void enter(void* frame, const char* api) {
    Core& here = core();
    here.entered(frame, api);
    current->repetition.named(api);
    here.windows.close_all();
    if (++here.pending_ops >= kCounterLimit) flush_scalar();
}

TraceRecord& next_record() {
    Core& here = core();
    if (++here.instructions > current->request->max_instructions) {
        Report limit{"instruction_limit"};
        limit.message = format("the kernel issued more than %llu instructions on core %u",
                               static_cast<unsigned long long>(current->request->max_instructions), here.index);
        report_fatal(limit);
    }
    ++current->result.instructions;
    if (++current->recorded > kRecordLimit) {
        if (current->result.timing_valid) {
            current->result.timing_valid = false;
            current->result.timing_note = "the trace is too long to be timed";
        }
        here.dropped = {};
    }
    TraceRecord& out = current->recorded > kRecordLimit ? here.dropped : here.records.emplace_back();
    // The record itself is one of the scalar unit's operations; the counter tells the others.
    out.scalar_ops = static_cast<uint16_t>(here.pending_ops > 0 ? here.pending_ops - 1 : 0);
    out.scalar_ub_reads = static_cast<uint16_t>(here.pending_ub_reads);
    out.scalar_ub_writes = static_cast<uint16_t>(here.pending_ub_writes);
    out.scalar_gm_reads = static_cast<uint16_t>(here.pending_gm_reads);
    out.scalar_gm_writes = static_cast<uint16_t>(here.pending_gm_writes);
    here.pending_ops = 0;
    here.pending_ub_reads = here.pending_ub_writes = here.pending_gm_reads = here.pending_gm_writes = 0;
    out.call_site = site_now();
    return out;
}

// The Matmul library loads to L1 on MTE1 of the vector core that it is called from.
void bring_in(TraceRecord& transfer) {
    const uint64_t bytes = uint64_t{transfer.repeats} * transfer.elements;
    if (transfer.flags & kGmWrite) return current->l2.store(transfer.gm_address, bytes);
    if (transfer.pipe != Pipe::MTE2 && transfer.pipe != Pipe::MTE1) return;
    transfer.fresh = current->l2.load(transfer.gm_address, bytes) ? 1 : 0;
}

void record(const TraceRecord& features) {
    TraceRecord& out = next_record();
    TraceRecord made = features;
    made.scalar_ops = out.scalar_ops;
    made.scalar_ub_reads = out.scalar_ub_reads;
    made.scalar_ub_writes = out.scalar_ub_writes;
    made.scalar_gm_reads = out.scalar_gm_reads;
    made.scalar_gm_writes = out.scalar_gm_writes;
    made.call_site = out.call_site;
    out = made;
    if (out.kind == TraceKind::Transfer) bring_in(out);
}

void flush_scalar() {
    ++core().pending_ops;  // this record stands for no call
    TraceRecord& out = next_record();
    out.kind = TraceKind::Scalar;
    out.pipe = Pipe::S;
}

uint32_t issue(Pipe pipe) {
    Core& here = core();
    Clock& clock = here.clocks[static_cast<int>(pipe)];
    const Clock& scalar = here.clocks[0];
    const uint32_t now = ++current->sequence;
    const auto self = static_cast<uint32_t>(pipe);
    // As a whole: what is read as a whole next must not wait for a store of one part.
    for (uint32_t other = 0; other < clock.size(); ++other)
        clock[other] = other == self ? now : std::max(clock[other], scalar[other] & kPassesOn[other]);
    return now;
}

bool touch(Pipe pipe, Memory which, uint32_t begin, uint32_t end, bool write, const char* api) {
    if (!current->request->check_races || begin >= end) return true;
    Core& here = core();
    LocalMemory& place = memory(which);
    bool clean = here.queues.empty() || check_owner(pipe, which, begin, end, api);
    const int self = static_cast<int>(pipe);
    const Clock& clock = here.clocks[self];
    const uint32_t now = clock[self];
    const bool strict = current->request->strict_v_barrier && pipe == Pipe::V;
    uint32_t raw = 0, war = 0;  // by pipe
    uint32_t newest = 0;
    place.shadow->each(begin, end, [&](Stamp& stamp) {
        for (int other = 0; other < kPipes; ++other) {
            if (other == self) continue;
            if (stamp.write[other] > clock[other]) raw |= 1u << other;
            if (write && stamp.read[other] > clock[other]) war |= 1u << other;
        }
        if (strict && stamp.write[self] > here.vector_barrier && stamp.write[self] != now) raw |= 1u << self;
        const uint32_t last = stamp.last_write();
        newest = last > newest ? last : newest;
        if (write) {
            stamp.write[self] = now;
        } else if (pipe != Pipe::S) {
            stamp.read[self] = now;  // scalar reads have finished when the next instruction is issued
        }
    });
    if (write && which == Memory::UB && !here.filler.empty()) here.filler.overwrite(begin, end);
    clean = clean && !(raw | war);
    if (raw | war) synchronise(pipe, raw, war);
    if (raw) hazard(write ? "race_waw" : "race_raw", pipe, highest(raw), which, begin, end, write, true, api);
    if (war) hazard("race_war", pipe, highest(war), which, begin, end, write, false, api);
    if (!write && newest <= here.start) {
        Report out{"ub_uninitialised", Severity::Warning, api};
        out.pipe = pipe_name(pipe);
        out.buffer = place_name(which, begin, end);
        out.message = format("%s reads %s, which nothing has written", api, out.buffer.c_str());
        report(out);
        clean = false;
    }
    return clean;
}

std::string place_name(Memory which, uint64_t begin, uint64_t end) {
    std::string out = format("%s [%llu, %llu)", memory_name(which), static_cast<unsigned long long>(begin),
                             static_cast<unsigned long long>(end));
    const BufferRange* owner = range_at(which, begin);
    if (!owner) return out;
    if (owner->queue < 0) return out + format(", a %s buffer", position_name(owner->position));
    return out + format(", buffer %d of a %s queue", owner->buffer, position_name(owner->position));
}

bool check_owner(Pipe pipe, Memory which, uint32_t begin, uint32_t end, const char* api) {
    const BufferRange* owner = range_at(which, begin);
    if (!owner || owner->queue < 0) return true;
    const Queue& queue = core().queues[static_cast<size_t>(owner->queue)];
    if (queue.buffers[static_cast<size_t>(owner->buffer)].state != BufferState::Free) return true;
    // Only the producer writes there next, and a pipe does one thing after another.
    const bool in_order = pipe == queue.producer;
    Report out{"tensor_freed", in_order ? Severity::Warning : Severity::Error, api};
    out.pipe = pipe_name(pipe);
    out.buffer = place_name(which, begin, end);
    out.message = format("%s uses %s, whose tensor was freed or never allocated", api, out.buffer.c_str());
    report(out);
    return false;
}

void check_range(Memory which, uint64_t begin, uint64_t end, const char* api) {
    const LocalMemory& place = memory(which);
    if (end > place.bytes || begin > end) {
        Report out{"ub_overflow", Severity::Error, api};
        out.buffer = format("%s [%llu, %llu)", memory_name(which), static_cast<unsigned long long>(begin),
                            static_cast<unsigned long long>(end));
        out.message =
            format("%s touches %s, but the %s has %u bytes", api, out.buffer.c_str(), memory_name(which), place.bytes);
        report_fatal(out);
    }
    const BufferRange* owner = range_at(which, begin);
    if (!owner) return;
    if (owner->end >= end) return;
    // Into the next buffer is a mistake; behind the last one nothing can be harmed.
    const bool last = owner == &core().ranges[static_cast<size_t>(which)].back();
    Report out{"buffer_overrun", last ? Severity::Warning : Severity::Error, api};
    out.buffer = format("%s [%llu, %llu)", memory_name(which), static_cast<unsigned long long>(begin),
                        static_cast<unsigned long long>(end));
    out.message = format("%s touches %s, %llu bytes past the end of the %s buffer [%u, %u) it starts in", api,
                         out.buffer.c_str(), static_cast<unsigned long long>(end - owner->end),
                         position_name(owner->position), owner->begin, owner->end);
    report(out);
}

void instruction(Pipe pipe, const TraceRecord& features, const Access* accesses, int count, const char* api) {
    for (int i = 0; i < count; ++i) {
        if (accesses[i].begin < accesses[i].end) check_range(Memory::UB, accesses[i].begin, accesses[i].end, api);
    }
    issue(pipe);
    for (int i = 0; i < count; ++i) {
        if (accesses[i].write) continue;
        if (!core().filler.empty()) check_filler(features, accesses[i], api);
        touch(pipe, Memory::UB, accesses[i].begin, accesses[i].end, false, api);
    }
    for (int i = 0; i < count; ++i) {
        if (accesses[i].write) touch(pipe, Memory::UB, accesses[i].begin, accesses[i].end, true, api);
    }
    TraceRecord& out = next_record();
    out.kind = TraceKind::Instr;
    out.pipe = pipe;
    out.event = features.event;
    out.op = features.op;
    out.dtype = features.dtype;
    out.flags = features.flags;
    out.repeats = features.repeats;
    out.elements = features.elements;
    out.ub_address = features.ub_address;
}

Where where(uintptr_t fault_pc, uintptr_t fault_frame, uintptr_t fault_address) {
    Where out{};
    out.api = "";
    if (!current || !current->core) return out;
    const Launch& launch = *current;
    out.in_kernel = true;
    out.core = launch.core->index;
    out.instruction = launch.repetition.follows() ? launch.repetition.instructions() : launch.core->instructions;
    out.api = launch.core->api;
    const auto stack = reinterpret_cast<uintptr_t>(launch.core->stack);
    out.stack_overflow = fault_address != 0 && fault_address < stack && fault_address + (1 << 16) >= stack;
    if (fault_pc >= launch.object_begin && fault_pc < launch.object_end) {
        // Callers subtract 1 before the lookup, as for return addresses.
        out.sites[out.site_count++] = static_cast<uint32_t>(fault_pc - launch.object_begin) + 1;
        out.site_count += walk(0, reinterpret_cast<void*>(fault_frame), out.sites + 1, 7);
    } else {
        out.site_count = walk(launch.core->return_address, launch.core->frame, out.sites, 8);
    }
    return out;
}

}  // namespace ascendopt::rt
