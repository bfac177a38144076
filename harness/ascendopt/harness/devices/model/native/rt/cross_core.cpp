// SyncAll, cross-core flags, signals through global memory, cores in turn.
#include "cross_core.h"

#include <algorithm>

#include "state.h"

namespace ascendopt::rt {

namespace {

CrossCore& cross() { return current->cross; }

// Stands still until `can_go_on`.
void block(Blocked why) {
    Core& here = core();
    here.blocked = why;
    if (!can_go_on(here) || why.reason == Blocked::Barrier) {
        here.status = CoreStatus::Waiting;
        swapcontext(&here.context, &current->scheduler);
    }
    here.blocked = {};
}

void join(View& into, const View& other) {
    for (size_t i = 0; i < into.size(); ++i) {
        for (size_t p = 0; p < into[i].size(); ++p) into[i][p] = std::max(into[i][p], other[i][p]);
    }
}

// What the core knows, and of itself what `clock` knows.
ViewPointer message(const Core& from, const Clock& clock) {
    View out = from.view ? *from.view : View(current->cores.size());
    for (size_t p = 0; p < clock.size(); ++p) out[from.index][p] = std::max(out[from.index][p], clock[p]);
    return std::make_shared<const View>(std::move(out));
}

void hear(Core& who, const ViewPointer& heard) {
    if (!heard) return;
    View merged = *heard;
    if (who.view) join(merged, *who.view);
    // Cores that met share one view.
    who.view = merged == *heard ? heard : std::make_shared<const View>(std::move(merged));
}

bool is_member(const Core& each, const Blocked& barrier) {
    if (barrier.cores == current->cores.size()) return true;
    const Core& first = current->cores[barrier.what];
    return each.kind == first.kind && each.order < barrier.cores;
}

// Everything that the cores of a group did is done, and each of them knows.
void meet(const std::vector<Core*>& group) {
    Launch& launch = *current;
    if (group.size() == launch.cores.size()) {
        ++launch.epoch;
        for (Core* each : group) each->view.reset();
    } else {
        View merged(launch.cores.size());
        for (const Core* each : group) join(merged, *message(*each, each->clocks[0]));
        const auto shared = std::make_shared<const View>(std::move(merged));
        for (Core* each : group) each->view = shared;
    }
    for (Core* each : group) {
        each->blocked = {};
        each->status = CoreStatus::Ready;
    }
}

std::vector<uint32_t> cores_of(CoreKind kind, uint32_t block, bool all_blocks) {
    std::vector<uint32_t> out;
    for (const Core& each : current->cores) {
        if (each.kind == kind && (all_blocks || each.block == block)) out.push_back(each.index);
    }
    return out;
}

Gathering& gathering(uint8_t mode, uint8_t flag) {
    const Core& here = core();
    const uint32_t block = mode == 0 ? 0 : here.block + 1;
    const uint32_t key = block << 8 | static_cast<uint32_t>(flag) << 4 | static_cast<uint32_t>(mode) << 2 |
                         static_cast<uint32_t>(here.kind);
    Gathering& found = cross().gatherings[key];
    if (!found.members.empty()) return found;
    found.members = cores_of(here.kind, here.block, mode == 0);
    const CoreKind other = here.kind == CoreKind::Cube ? CoreKind::Vector : CoreKind::Cube;
    found.hearers = mode == 2 ? cores_of(other, here.block, false) : found.members;
    return found;
}

std::string kind_name(const Core& of) {
    return current->task.cubes == 0 || current->task.vectors == 0 ? format("core %u", of.index)
           : of.kind == CoreKind::Cube                            ? format("the cube core of block %u", of.block)
                                       : format("vector core %u of block %u", of.sub, of.block);
}

const char* missing_partner(const Core& waiting) {
    switch (waiting.blocked.reason) {
        case Blocked::Flag:
            return "no core that still runs sets it";
        case Blocked::Signal:
            return "no signal of the same workspace, core and event comes";
        case Blocked::Turn:
            return "the core before it never passes its turn on";
        case Blocked::Poll:
            return "no core that still runs writes the value it reads there again and again";
        default:
            return "";
    }
}

void report_blocked(Core& waiting) {
    current->core = &waiting;
    Report out{"sync_deadlock"};
    const std::string who = kind_name(waiting);
    const Core* absent = nullptr;
    for (const Core& each : current->cores) {
        if (waiting.blocked.reason != Blocked::Barrier || !is_member(each, waiting.blocked)) continue;
        if (each.blocked.reason != Blocked::Barrier && !absent) absent = &each;
    }
    if (absent) {
        out.message =
            format("%s waits in SyncAll, but %s %s", who.c_str(), kind_name(*absent).c_str(),
                   absent->status == CoreStatus::Done ? "ended without reaching it" : "stands still before it");
    } else if (waiting.blocked.reason == Blocked::Flag) {
        out.message = format("%s waits for cross-core flag %u, and %s", who.c_str(),
                             static_cast<unsigned>(waiting.blocked.what), missing_partner(waiting));
    } else {
        out.message = format("%s waits in %s, and %s", who.c_str(), waiting.api, missing_partner(waiting));
    }
    report(out);
    current->core = nullptr;
}

void record_cross(TraceKind kind, CrossMode mode, Pipe after, uint8_t flag, uint32_t cores, uint64_t signal) {
    TraceRecord out{};
    out.kind = kind;
    out.pipe = after;
    out.event = flag;
    out.op = static_cast<uint16_t>(mode);
    out.elements = cores;
    out.gm_address = signal;
    record(out);
}
void record_wait(CrossMode mode, uint8_t flag, uint64_t signal) {
    record_cross(TraceKind::CrossWait, mode, Pipe::S, flag, 0, signal);
}

void barrier(uint32_t first, uint32_t cores) {
    if (cores == current->cores.size()) {
        barrier_all(TraceKind::SyncAll);
        return block(Blocked{Blocked::Barrier, first, cores});
    }
    barrier_all(TraceKind::BarrierAll);
    record_cross(TraceKind::CrossSet, CrossMode::All, Pipe::S, kBarrierFlag, cores, 0);
    block(Blocked{Blocked::Barrier, first, cores});
    record_wait(CrossMode::All, kBarrierFlag, 0);
}

// The cell of a signal: 32 bytes for each core and event.
uint64_t cell(const AscCoreSignal& call) {
    const uint64_t cores = current->request->block_dim * std::max<uint64_t>(current->task.vectors, 1);
    return call.gm + (cores * static_cast<uint64_t>(call.event) + static_cast<uint64_t>(call.block)) * kBlock;
}

void check_scratch(const AscLocal& scratch, uint64_t bytes, const char* api) {
    check_range(memory_of(scratch.position), scratch.address, uint64_t{scratch.address} + bytes, api);
    if (scratch.bytes >= bytes) return;
    violation("sync_workspace", 0, api, "%s needs %llu bytes of local workspace, but the tensor has %u", api,
              static_cast<unsigned long long>(bytes), scratch.bytes);
}

}  // namespace

void send_signal(uint64_t at, uint64_t device) {
    Core& here = core();
    ++here.segment;
    cross().signals[at].push_back(message(here, here.clocks[0]));
    record_cross(TraceKind::CrossSet, CrossMode::Signal, Pipe::S, 0, 0, device);
}

void take_signal(uint64_t at, uint64_t device) {
    block(Blocked{Blocked::Signal, at, 0});
    auto& pending = cross().signals[at];
    hear(core(), pending.front());
    pending.pop_front();
    record_wait(CrossMode::Signal, 0, device);
}

bool can_go_on(const Core& of) {
    CrossCore& state = cross();
    switch (of.blocked.reason) {
        case Blocked::Flag:
            return !state.flags[of.index][of.blocked.what].empty();
        case Blocked::Signal:
            return !state.signals[of.blocked.what].empty();
        case Blocked::Poll:
            return current->sequence != of.blocked.what;
        case Blocked::Turn: {
            // The first core of a round follows the last of the round before.
            const size_t before = of.order == 0 ? state.passed.size() - 1 : of.order - 1;
            return state.passed[before] + (of.order == 0 ? 1 : 0) > of.blocked.what;
        }
        default:
            return of.blocked.reason == Blocked::Nothing;
    }
}

void poll(uint64_t line) {
    constexpr uint32_t kPatience = 64;
    Core& here = core();
    Polling& polling = here.polling;
    if (polling.times == 0 || polling.sequence != current->sequence) {
        polling = {current->sequence, 1, here.gm.accesses.size(), here.pending_gm_reads, here.pending_ops};
        return;
    }
    if (++polling.times <= kPatience) return;
    auto& accesses = here.gm.accesses;
    accesses.resize(std::min(accesses.size(), polling.accesses));
    const auto polled = [line](const GmAccess& each) {
        return each.pipe == Pipe::S && each.use == GmUse::Read && each.begin / kCacheLine == line;
    };
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(), polled), accesses.end());
    here.pending_gm_reads = polling.gm_reads;
    here.pending_ops = polling.calls;
    polling.times = 0;
    block(Blocked{Blocked::Poll, current->sequence, 0});
}

void line_cleaned(uint64_t line) {
    Core& here = core();
    ++here.segment;
    cross().cleaned[line] = message(here, here.clocks[0]);
}

void line_read(uint64_t line) {
    const auto found = cross().cleaned.find(line);
    if (found != cross().cleaned.end()) hear(core(), found->second);
}

bool open_barriers() {
    for (const Core& waiting : current->cores) {
        if (waiting.blocked.reason != Blocked::Barrier) continue;
        std::vector<Core*> group;
        bool complete = true;
        for (Core& each : current->cores) {
            if (!is_member(each, waiting.blocked)) continue;
            group.push_back(&each);
            complete =
                complete && each.blocked.reason == Blocked::Barrier && each.blocked.cores == waiting.blocked.cores;
        }
        if (!complete) continue;
        meet(group);
        return true;
    }
    return false;
}

void report_deadlock() {
    for (Core& each : current->cores) {
        if (each.status == CoreStatus::Waiting) report_blocked(each);
    }
    current->dead = true;
}

void report_unheard() {
    for (const Core& each : current->cores) {
        for (int flag = 0; flag < CrossCore::kFlags; ++flag) {
            const size_t left = cross().flags[each.index][static_cast<size_t>(flag)].size();
            if (left == 0) continue;
            Report out{"cross_flag_unpaired", Severity::Warning, "CrossCoreSetFlag"};
            const std::vector<uint32_t> nowhere;
            out.sites = &nowhere;
            out.message = format("cross-core flag %d of %s is still set %zu times when the kernel ends", flag,
                                 kind_name(each).c_str(), left);
            report(out);
            return;
        }
    }
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;
using ascendopt::CrossMode;
using ascendopt::Pipe;
using ascendopt::TraceKind;

extern "C" {

void asc_sync_all(uint8_t vector_only) {
    ASC_ENTER("SyncAll");
    const Core& here = core();
    uint32_t same = 0;
    for (const Core& each : current->cores) same += each.kind == here.kind;
    barrier(here.index, vector_only ? same : static_cast<uint32_t>(current->cores.size()));
}

void asc_sync_some(const AscCoreSignal* call) {
    ASC_ENTER("SyncAll");
    const Core& here = core();
    uint32_t same = 0;
    for (const Core& each : current->cores) same += each.kind == here.kind;
    const uint32_t cores = call->block > 0 ? static_cast<uint32_t>(call->block) : same;
    if (cores > same) fatal("sync_deadlock", "SyncAll", "SyncAll waits for %u cores, but %u run", cores, same);
    gm_span(call->gm, uint64_t{cores} * kBlock, true, "SyncAll");
    check_scratch(call->scratch, uint64_t{cores} * kBlock, "SyncAll");
    if (here.order >= cores) return;  // a core beyond the number takes no part
    barrier(here.index, cores);
}

void asc_cross_set(uint8_t mode, uint8_t pipe, uint8_t flag) {
    ASC_ENTER("CrossCoreSetFlag");
    Core& here = core();
    if (pipe == 0 || pipe >= kPipes) {
        violation("flag_pipe", 0, "CrossCoreSetFlag", "CrossCoreSetFlag cannot follow PIPE_S or PIPE_ALL");
        pipe = static_cast<uint8_t>(here.kind == CoreKind::Cube ? Pipe::FIX : Pipe::MTE3);
    }
    inherit(static_cast<Pipe>(pipe));
    ++here.segment;
    Gathering& group = gathering(mode, flag);
    record_cross(TraceKind::CrossSet, static_cast<CrossMode>(mode), static_cast<Pipe>(pipe), flag,
                 mode == 0 ? static_cast<uint32_t>(group.members.size()) : 0, 0);
    group.said[here.index].push_back(message(here, here.clocks[pipe]));
    for (uint32_t member : group.members) {
        if (group.said[member].empty()) return;
    }
    View merged(current->cores.size());
    for (uint32_t member : group.members) {
        join(merged, *group.said[member].front());
        group.said[member].pop_front();
    }
    const auto shared = std::make_shared<const View>(std::move(merged));
    for (uint32_t hearer : group.hearers) {
        auto& pending = cross().flags[hearer][flag];
        pending.push_back(shared);
        if (pending.size() <= CrossCore::kMostPending) continue;
        fatal("cross_flag_overflow", "CrossCoreSetFlag", "cross-core flag %u is set more than %zu times before a wait",
              flag, CrossCore::kMostPending);
    }
}

void asc_cross_wait(uint8_t flag) {
    ASC_ENTER("CrossCoreWaitFlag");
    Core& here = core();
    block(Blocked{Blocked::Flag, flag, 0});
    auto& pending = cross().flags[here.index][flag];
    hear(here, pending.front());
    pending.erase(pending.begin());
    record_wait(CrossMode::All, flag, 0);
}

void asc_signal_set(const AscCoreSignal* call) {
    ASC_ENTER("IBSet");
    const uint64_t at = cell(*call);
    const Allocation& place = gm_span(at, kBlock, true, "IBSet");
    check_scratch(call->scratch, kBlock, "IBSet");
    barrier_all(TraceKind::BarrierAll);
    send_signal(at, place.device + (at - place.host));
}

void asc_signal_wait(const AscCoreSignal* call) {
    ASC_ENTER("IBWait");
    const uint64_t at = cell(*call);
    const Allocation& place = gm_span(at, kBlock, true, "IBWait");
    check_scratch(call->scratch, kBlock, "IBWait");
    barrier_all(TraceKind::BarrierAll);
    take_signal(at, place.device + (at - place.host));
}

void asc_turn(uint8_t step, const AscCoreSignal* call) {
    ASC_ENTER(step == kAscTurnInit   ? "InitDetermineComputeWorkspace"
              : step == kAscTurnWait ? "WaitPreBlock"
                                     : "NotifyNextBlock");
    Core& here = core();
    CrossCore& state = cross();
    const uint64_t cores = state.passed.size();
    gm_span(call->gm, cores * kBlock, true, here.api);
    check_scratch(call->scratch, (cores + 1) * kBlock, here.api);
    barrier_all(TraceKind::BarrierAll);
    if (step == kAscTurnWait) {
        const uint64_t turn = state.awaited[here.order]++;
        const uint64_t before = here.order == 0 ? cores - 1 : here.order - 1;
        block(Blocked{Blocked::Turn, turn, 0});
        hear(here, state.handed[before]);
        // Nothing comes before the first core's first turn.
        if (here.order > 0 || turn > 0) record_wait(CrossMode::Signal, 0, before);
    } else if (step == kAscTurnPass) {
        ++here.segment;
        ++state.passed[here.order];
        state.handed[here.order] = message(here, here.clocks[0]);
        record_cross(TraceKind::CrossSet, CrossMode::Signal, Pipe::S, 0, 0, here.order);
    }
}
}
