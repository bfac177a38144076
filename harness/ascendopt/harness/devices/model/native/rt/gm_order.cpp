// Hazards on global memory: within a core, between cores, and in the cache of the scalar unit.
#include "gm_order.h"

#include <algorithm>

#include "state.h"

namespace ascendopt::rt {

namespace {

constexpr size_t kMostComparisons = 20'000'000;
constexpr size_t kMostReports = 2000;
constexpr size_t kMostOwnCopies = 500;

GmAccess access(Pipe pipe, uint64_t device, uint64_t bytes, GmUse use) {
    Core& here = core();
    GmHistory& history = here.gm;
    if (history.views.empty() || history.views.back() != here.view) history.views.push_back(here.view);
    return GmAccess{device,         device + bytes,
                    current->epoch, here.index,
                    site_now(),     here.clocks[static_cast<size_t>(pipe)][static_cast<size_t>(pipe)],
                    here.segment,   static_cast<uint32_t>(history.views.size() - 1),
                    pipe,           use,
                    false};
}

void keep(const GmAccess& made) {
    GmHistory& history = core().gm;
    if (!history.accesses.empty()) {
        GmAccess& last = history.accesses.back();
        if (last.end == made.begin && last.epoch == made.epoch && last.use == made.use && last.pipe == made.pipe &&
            last.segment == made.segment && last.view == made.view && last.repeats == made.repeats) {
            last.end = made.end;
            last.sequence = made.sequence;
            return;
        }
    }
    history.accesses.push_back(made);
}

// Writes that both readers of global memory know of need no more looking at.
void settle() {
    Core& here = core();
    GmHistory& history = here.gm;
    if (history.unsettled.size() < history.settle_at) return;
    const Clock& load = here.clocks[static_cast<size_t>(Pipe::MTE2)];
    const Clock& scalar = here.clocks[0];
    const auto known = [&](const GmAccess& each) {
        const auto pipe = static_cast<size_t>(each.pipe);
        return each.sequence <= load[pipe] && each.sequence <= scalar[pipe];
    };
    history.unsettled.erase(std::remove_if(history.unsettled.begin(), history.unsettled.end(), known),
                            history.unsettled.end());
    history.settle_at = std::max<size_t>(64, 2 * history.unsettled.size());
}

const Allocation* allocation_at(uint64_t device) {
    for (const Allocation& at : current->allocations) {
        if (device >= at.device && device <= at.device + at.bytes) return &at;
    }
    return nullptr;
}

std::string range_text(uint64_t begin, uint64_t end, const Allocation* at) {
    if (!at) return "bytes outside of every argument";
    return format("bytes [%llu, %llu) of %s", static_cast<unsigned long long>(begin - at->device),
                  static_cast<unsigned long long>(end - at->device), at->name.c_str());
}

void report_own_race(const GmAccess& write, Pipe pipe, uint64_t begin, uint64_t end, const Allocation& at,
                     const char* api) {
    Report out{"race_raw", Severity::Error, api};
    out.pipe = pipe_name(pipe);
    out.buffer = at.name;
    out.need = std::string(pipe_name(write.pipe)) + "_" + pipe_name(pipe);
    out.message = format("%s on %s reads %s, which %s of the same core may still be writing: missing %s sync", api,
                         pipe_name(pipe), range_text(begin, end, &at).c_str(), pipe_name(write.pipe), out.need.c_str());
    report(out);
}

void check_cache(uint64_t begin, uint64_t end, const char* api) {
    Launch& launch = *current;
    if (launch.dirty.empty()) return;
    for (uint64_t line = begin / kCacheLine; line * kCacheLine < end; ++line) {
        const auto found = launch.dirty.find(line);
        if (found == launch.dirty.end()) continue;
        Report out{"gm_cache", Severity::Error, api};
        const Allocation* at = allocation_at(begin);
        if (at) out.buffer = at->name;
        out.need = "DataCacheCleanAndInvalid";
        out.message = format(
            "%s reads %s, where a SetValue of core %u may still lie in the cache of its scalar unit: missing "
            "DataCacheCleanAndInvalid",
            api, range_text(begin, end, at).c_str(), found->second);
        report(out);
        launch.dirty.erase(found);
        return;
    }
}

bool knows(const GmAccess& later, const GmAccess& earlier) {
    const ViewPointer& view = current->cores[later.core].gm.views[later.view];
    return view && (*view)[earlier.core][static_cast<size_t>(earlier.pipe)] >= earlier.sequence;
}

// Sweeps over the accesses of one epoch by address.
class Sweep {
  public:
    void add(const GmAccess& next) {
        drop(writes_, next.begin);
        for (const GmAccess* write : writes_) compare(*write, next);
        if (next.use == GmUse::Read) {
            drop(reads_, next.begin);
            reads_.push_back(&next);
            return;
        }
        drop(reads_, next.begin);
        for (const GmAccess* read : reads_) compare(*read, next);
        writes_.push_back(&next);
    }
    void clear() {
        writes_.clear();
        reads_.clear();
    }
    bool exhausted() const { return comparisons_ > kMostComparisons || reports_ > kMostReports; }

  private:
    static void drop(std::vector<const GmAccess*>& from, uint64_t begin) {
        from.erase(std::remove_if(from.begin(), from.end(), [&](const GmAccess* each) { return each->end <= begin; }),
                   from.end());
    }

    void compare(const GmAccess& a, const GmAccess& b) {
        ++comparisons_;
        if (a.core == b.core || a.end <= b.begin || b.end <= a.begin) return;
        if (a.use == GmUse::Atomic && b.use == GmUse::Atomic) return;
        if (knows(a, b) || knows(b, a)) return;
        const GmAccess& later = a.sequence > b.sequence ? a : b;
        const bool both_write = a.use != GmUse::Read && b.use != GmUse::Read;
        if (both_write && later.repeats) return;  // each core prepares the same workspace
        if (!both_write && reads_own_copy(a.use == GmUse::Read ? a : b, a.use == GmUse::Read ? b : a)) return;
        ++reports_;
        report_conflict(both_write ? (a.sequence > b.sequence ? b : a) : (a.use == GmUse::Read ? b : a),
                        both_write ? later : (a.use == GmUse::Read ? a : b), both_write);
    }

    // Whether a core reads what it has written itself, and the other's `write` leaves the same values there.
    bool reads_own_copy(const GmAccess& read, const GmAccess& write) {
        if (write.use == GmUse::Atomic || ++own_copies_ > kMostOwnCopies) return false;
        const bool after = write.sequence > read.sequence;
        if (after && !write.repeats) return false;
        uint64_t begin = std::max(read.begin, write.begin);
        const uint64_t end = std::min(read.end, write.end);
        std::vector<std::pair<uint64_t, uint64_t>> own;
        for (const GmAccess& each : current->cores[read.core].gm.accesses) {
            if (each.use != GmUse::Write || each.epoch != read.epoch || each.sequence > read.sequence) continue;
            if (each.end <= begin || each.begin >= end) continue;
            if (!after && each.sequence > write.sequence && !each.repeats) return false;
            own.emplace_back(each.begin, each.end);
        }
        std::sort(own.begin(), own.end());
        for (const auto& [from, to] : own) {
            if (from > begin) return false;
            begin = std::max(begin, to);
        }
        return begin >= end;
    }

    // `second` is where the report points: the later write, or the read.
    static void report_conflict(const GmAccess& first, const GmAccess& second, bool both_write) {
        const uint64_t begin = std::max(first.begin, second.begin), end = std::min(first.end, second.end);
        const Allocation* at = allocation_at(begin);
        Report out{both_write ? "gm_write_conflict" : "gm_read_conflict"};
        const std::vector<uint32_t> sites{second.site};
        out.sites = &sites;
        out.pipe = pipe_name(second.pipe);
        if (at) out.buffer = at->name;
        out.need = "SyncAll";
        const std::string range = range_text(begin, end, at);
        out.message = both_write
                          ? format("cores %u and %u both write %s with no SyncAll or cross-core flag between",
                                   first.core, second.core, range.c_str())
                          : format("core %u reads %s, which core %u writes with no SyncAll or cross-core flag between",
                                   second.core, range.c_str(), first.core);
        current->core = &current->cores[second.core];
        report(out);
        current->core = nullptr;
    }

    std::vector<const GmAccess*> writes_, reads_;
    size_t comparisons_ = 0, reports_ = 0, own_copies_ = 0;
};

// Cores that set values of one cache line: whoever writes the line back last undoes what the other did.
void line_conflicts(const std::vector<GmAccess>& all) {
    std::unordered_map<uint64_t, const GmAccess*> first;
    uint32_t epoch = ~uint32_t{0};
    for (const GmAccess& each : all) {
        if (each.pipe != Pipe::S || each.use == GmUse::Read) continue;
        if (each.epoch != epoch) first.clear();
        epoch = each.epoch;
        for (uint64_t line = each.begin / kCacheLine; line * kCacheLine < each.end; ++line) {
            const GmAccess*& known = first.try_emplace(line, &each).first->second;
            if (known->core == each.core || knows(*known, each) || knows(each, *known)) continue;
            const Allocation* at = allocation_at(each.begin);
            Report out{"gm_cache_line"};
            const std::vector<uint32_t> sites{each.site};
            out.sites = &sites;
            out.api = "GlobalTensor::SetValue";
            if (at) out.buffer = at->name;
            out.need = "DataCacheCleanAndInvalid";
            out.message = format(
                "cores %u and %u set values in one 64-byte cache line, %s: SetValue goes to the data cache of the "
                "core, "
                "and the line that is written back last undoes the other",
                known->core, each.core, range_text(line * kCacheLine, (line + 1) * kCacheLine, at).c_str());
            current->core = &current->cores[each.core];
            report(out);
            current->core = nullptr;
        }
    }
}

}  // namespace

void gm_written(Pipe pipe, uint64_t device, uint64_t bytes, bool atomic, bool repeats) {
    GmAccess made = access(pipe, device, bytes, atomic ? GmUse::Atomic : GmUse::Write);
    made.repeats = repeats;
    keep(made);
    if (!current->request->check_races) return;
    settle();
    core().gm.unsettled.push_back(made);
    if (pipe != Pipe::S) return;
    for (uint64_t line = device / kCacheLine; line * kCacheLine < device + bytes; ++line) {
        current->dirty[line] = core().index;
    }
}

void gm_read(Pipe pipe, const Allocation& at, uint64_t device, uint64_t bytes, const char* api) {
    if (at.constant || !current->request->check_races) return;
    const Core& here = core();
    const Clock& clock = here.clocks[static_cast<size_t>(pipe)];
    for (const GmAccess& write : here.gm.unsettled) {
        if (write.pipe == pipe || write.end <= device || write.begin >= device + bytes) continue;
        if (write.pipe == Pipe::S || write.sequence <= clock[static_cast<size_t>(write.pipe)]) continue;
        if (pipe == Pipe::S && automatic_sync(write.pipe, pipe)) continue;
        report_own_race(write, pipe, std::max(write.begin, device), std::min(write.end, device + bytes), at, api);
        break;
    }
    if (pipe != Pipe::S) check_cache(device, device + bytes, api);
    if (pipe == Pipe::S) line_read(device / kCacheLine);
    keep(access(pipe, device, bytes, GmUse::Read));
}

void gm_repeated(const NotedCopy& noted, uint64_t device) {
    const GmUse use = !noted.writes ? GmUse::Read : noted.atomic ? GmUse::Atomic : GmUse::Write;
    if (use == GmUse::Read && !current->request->check_races) return;
    for (uint32_t i = 0; i < noted.pieces; ++i) {
        GmAccess made = access(noted.pipe, device + i * noted.pitch, noted.piece_bytes, use);
        made.site = noted.site;
        made.sequence = core().start + noted.sequence;
        made.repeats = noted.repeats;
        keep(made);
    }
}

void gm_conflicts() {
    Launch& launch = *current;
    if (launch.cores.size() < 2) return;
    std::vector<GmAccess> all;
    for (Core& each : launch.cores) all.insert(all.end(), each.gm.accesses.begin(), each.gm.accesses.end());
    std::stable_sort(all.begin(), all.end(), [](const GmAccess& a, const GmAccess& b) {
        return a.epoch != b.epoch ? a.epoch < b.epoch : a.begin < b.begin;
    });
    line_conflicts(all);
    Sweep sweep;
    uint32_t epoch = 0;
    for (const GmAccess& each : all) {
        if (each.epoch != epoch) sweep.clear();
        epoch = each.epoch;
        sweep.add(each);
        if (sweep.exhausted()) return;
    }
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_cache_clean(uint64_t address, uint8_t whole) {
    ASC_ENTER("DataCacheCleanAndInvalid");
    auto& dirty = current->dirty;
    const uint32_t me = core().index;
    if (!whole) {
        const Allocation& at = gm_span(address, 1, false, "DataCacheCleanAndInvalid");
        const uint64_t line = (at.device + (address - at.host)) / kCacheLine;
        const auto found = dirty.find(line);
        if (found == dirty.end()) return poll(line);
        if (found->second == me) line_cleaned(found->first);
        dirty.erase(found);
        return;
    }
    bool writes = false;
    for (auto each = dirty.begin(); each != dirty.end();) {
        const bool mine = each->second == me;
        if (mine) line_cleaned(each->first);
        writes = writes || mine;
        each = mine ? dirty.erase(each) : std::next(each);
    }
    if (!writes) poll(0);
}
}
