// Flags, events, barriers and their clocks.
#include <algorithm>

#include "state.h"

namespace ascendopt::rt {

namespace {

EventPool& pool(Pipe from, Pipe to) { return core().events[static_cast<int>(from)][static_cast<int>(to)]; }

Flag& flag(Pipe from, Pipe to, int event) {
    auto& flags = pool(from, to).flags;
    if (static_cast<size_t>(event) >= flags.size()) flags.resize(static_cast<size_t>(event) + 1);
    return flags[static_cast<size_t>(event)];
}

std::string pair_name(Pipe from, Pipe to) { return std::string(pipe_name(from)) + "_" + pipe_name(to); }

bool valid_pair(uint8_t from, uint8_t to) { return from < kPipes && to < kPipes; }

// The first event of the pair that nobody has taken.
int32_t free_event(Pipe from, Pipe to) {
    const uint64_t taken = pool(from, to).taken;
    for (int32_t id = 0; id < kEvents; ++id) {
        if (!(taken >> id & 1)) return id;
    }
    const std::string pair = pair_name(from, to);
    violation("event_exhausted", 0, "FetchEventID", "all %d %s events are in use", kEvents, pair.c_str());
    return 0;
}

void check_event(Pipe from, Pipe to, int32_t event, const char* api) {
    if (event >= 0 && event < kEvents) return;
    fatal("event_range", api, "%s on %s with event id %d: ids are 0 to %d", api, pair_name(from, to).c_str(), event,
          kEvents - 1);
}

}  // namespace

void inherit(Pipe pipe) {
    Core& here = core();
    Clock& clock = here.clocks[static_cast<size_t>(pipe)];
    const Clock& scalar = here.clocks[0];
    for (size_t other = 0; other < clock.size(); ++other)
        clock[other] = std::max(clock[other], scalar[other] & kPassesOn[other]);
}

// What `pipe` does next comes after all that `known` counts.
void join(Pipe pipe, const Clock& known) {
    Core& here = core();
    Clock& clock = here.clocks[static_cast<size_t>(pipe)];
    const Clock& scalar = here.clocks[0];
    for (size_t other = 0; other < clock.size(); ++other)
        clock[other] = std::max(std::max(clock[other], scalar[other] & kPassesOn[other]), known[other]);
}

void scalar_takes_result() {
    inherit(Pipe::V);
    join(Pipe::S, core().clocks[static_cast<int>(Pipe::V)]);
}

void set_flag(Pipe from, Pipe to, int event, bool user) {
    Flag& target = flag(from, to, event);
    if (target.set > 0) {
        Report out{"flag_twice", Severity::Warning};
        out.pipe = pipe_name(from);
        out.need = pair_name(from, to);
        out.message =
            format("%s sets %s event %d again before anything waited for it", core().api, out.need.c_str(), event);
        report(out);
    }
    inherit(from);
    const Clock& known = core().clocks[static_cast<size_t>(from)];
    if (target.set++ == 0) {
        target.oldest = known;
    } else {
        target.later.push_back(known);
    }
    target.sites.clear();
    if (user) target.sites = sites_now();
    TraceRecord& out = next_record();
    out.kind = TraceKind::SetFlag;
    out.pipe = from;
    out.dst_pipe = to;
    out.event = static_cast<uint8_t>(event);
}

void wait_flag(Pipe from, Pipe to, int event, bool) {
    Flag& target = flag(from, to, event);
    if (target.set == 0) {
        Report out{"flag_wait"};
        out.pipe = pipe_name(to);
        out.need = pair_name(from, to);
        out.message =
            format("%s waits for %s event %d, which nothing has set before it in program order: the core would hang",
                   core().api, out.need.c_str(), event);
        report_fatal(out);
    }
    join(to, target.oldest);
    if (--target.set > 0) {
        target.oldest = target.later.front();
        target.later.erase(target.later.begin());
    }
    TraceRecord& out = next_record();
    out.kind = TraceKind::WaitFlag;
    out.pipe = from;
    out.dst_pipe = to;
    out.event = static_cast<uint8_t>(event);
}

int take_event(Pipe from, Pipe to) {
    EventPool& events = pool(from, to);
    for (int id = 0; id < 64; ++id) {
        if (events.taken >> id & 1) continue;
        if (id == kEvents) {
            Report out{"event_exhausted"};
            out.need = pair_name(from, to);
            out.message = format("more than %d %s events are in use: reduce the number of queue buffers", kEvents,
                                 out.need.c_str());
            report(out);
        }
        events.taken |= uint64_t{1} << id;
        return id;
    }
    fatal("event_exhausted", core().api, "64 %s events are in use", pair_name(from, to).c_str());
}

void release_event(Pipe from, Pipe to, int event) { pool(from, to).taken &= ~(uint64_t{1} << event); }

void pipe_barrier(Pipe pipe) {
    if (pipe == Pipe::V) core().vector_barrier = current->sequence;
    TraceRecord& out = next_record();
    out.kind = TraceKind::Barrier;
    out.pipe = pipe;
}
void vector_barrier() { pipe_barrier(Pipe::V); }

bool automatic_sync(Pipe from, Pipe to) {
    constexpr int kEvent = 63;  // beyond those of users and queues
    if (core().kind == CoreKind::Cube || current->request->strict_v_barrier) return false;
    set_flag(from, to, kEvent, false);
    wait_flag(from, to, kEvent, false);
    return true;
}

void barrier_all(TraceKind kind) {
    Core& here = core();
    for (Clock& clock : here.clocks) clock.fill(current->sequence);
    here.vector_barrier = current->sequence;
    TraceRecord& out = next_record();
    out.kind = kind;
    out.pipe = Pipe::S;
}

void left_on(const char* code, const char* api, uint32_t site, const char* what) {
    Report out{code, Severity::Warning, api};
    const std::vector<uint32_t> sites{site};
    out.sites = &sites;
    out.message = format("the kernel ends with %s", what);
    report(out);
}

void finish_core() {
    Core& here = core();
    if (here.atomic != 0) {
        left_on("atomic_left_on", "SetAtomic", here.atomic_site, "atomic writes still on: SetAtomicNone is missing");
    }
    if (here.mask.counter) {
        left_on("mask_left_on", "SetMaskCount", here.counter_site, "the mask in counter mode: SetMaskNorm is missing");
    }
    for (int from = 0; from < kPipes; ++from) {
        for (int to = 0; to < kPipes; ++to) {
            const auto& flags = here.events[from][to].flags;
            for (size_t event = 0; event < flags.size(); ++event) {
                if (flags[event].set == 0 || flags[event].sites.empty()) continue;
                Report out{"flag_unpaired"};
                out.api = "SetFlag";
                out.sites = &flags[event].sites;
                out.need = pair_name(static_cast<Pipe>(from), static_cast<Pipe>(to));
                out.message = format("%s event %zu is still set when the kernel ends: its WaitFlag is missing",
                                     out.need.c_str(), event);
                report(out);
            }
        }
    }
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;
using ascendopt::Pipe;

extern "C" {

void asc_flag_set(uint8_t src, uint8_t dst, int32_t event) {
    if (ASC_REPEATED(FlagSet, src, dst, event)) return;
    ASC_ENTER_REPEATABLE("SetFlag");
    if (!valid_pair(src, dst)) fatal("event_range", "SetFlag", "SetFlag names a pipe that is not modelled");
    check_event(static_cast<Pipe>(src), static_cast<Pipe>(dst), event, "SetFlag");
    set_flag(static_cast<Pipe>(src), static_cast<Pipe>(dst), event, true);
}

void asc_flag_wait(uint8_t src, uint8_t dst, int32_t event) {
    if (ASC_REPEATED(FlagWait, src, dst, event)) return;
    ASC_ENTER_REPEATABLE("WaitFlag");
    if (!valid_pair(src, dst)) fatal("event_range", "WaitFlag", "WaitFlag names a pipe that is not modelled");
    check_event(static_cast<Pipe>(src), static_cast<Pipe>(dst), event, "WaitFlag");
    wait_flag(static_cast<Pipe>(src), static_cast<Pipe>(dst), event, true);
}

int32_t asc_event_fetch(uint8_t src, uint8_t dst) {
    if (const auto* noted = ASC_REPEATED(EventFetch, src, dst)) return static_cast<int32_t>(noted->result.first);
    ASC_ENTER_REPEATABLE("FetchEventID");
    const int32_t id = free_event(static_cast<Pipe>(src), static_cast<Pipe>(dst));
    current->repetition.gave(static_cast<uint64_t>(id));
    return id;
}

int32_t asc_event_alloc(uint8_t src, uint8_t dst) {
    if (const auto* noted = ASC_REPEATED(EventAlloc, src, dst)) return static_cast<int32_t>(noted->result.first);
    ASC_ENTER_REPEATABLE("AllocEventID");
    const int32_t id = take_event(static_cast<Pipe>(src), static_cast<Pipe>(dst));
    current->repetition.gave(static_cast<uint64_t>(id));
    return id;
}

void asc_event_release(uint8_t src, uint8_t dst, int32_t event) {
    if (ASC_REPEATED(EventRelease, src, dst, event)) return;
    ASC_ENTER_REPEATABLE("ReleaseEventID");
    check_event(static_cast<Pipe>(src), static_cast<Pipe>(dst), event, "ReleaseEventID");
    pool(static_cast<Pipe>(src), static_cast<Pipe>(dst)).taken &= ~(uint64_t{1} << event);
}

void asc_barrier(uint8_t pipe) {
    if (ASC_REPEATED(Barrier, pipe)) return;
    ASC_ENTER_REPEATABLE("PipeBarrier");
    if (pipe >= kPipes) {
        barrier_all(ascendopt::TraceKind::BarrierAll);
        return;
    }
    pipe_barrier(static_cast<Pipe>(pipe));
}
}
