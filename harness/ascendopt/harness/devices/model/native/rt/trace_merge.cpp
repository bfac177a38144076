#include "trace_merge.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "../support/address_map.h"

namespace ascendopt::rt {

namespace {

using Records = std::vector<TraceRecord>;
using Words = std::array<uint64_t, sizeof(TraceRecord) / sizeof(uint64_t)>;

constexpr uint64_t kGranule = 512;  // no cost looks at more of an address
constexpr uint16_t kMostFresh = 65535;

Words words_of(const TraceRecord& record) {
    Words out;
    std::memcpy(out.data(), &record, sizeof record);
    return out;
}

// Whether records agree; transfers in all but the bits of `free_address` and what their cores have in common.
class Comparison {
  public:
    explicit Comparison(uint64_t free_address) {
        TraceRecord free{};
        free.gm_address = free_address;
        free.fresh = kMostFresh;
        free.event = 0xFF;
        free_ = words_of(free);
    }

    bool operator()(const TraceRecord& a, const TraceRecord& b) const {
        const Words left = words_of(a), right = words_of(b);
        const uint64_t transfer = a.kind == TraceKind::Transfer ? ~uint64_t{0} : 0;
        uint64_t differs = 0;
        for (size_t i = 0; i < left.size(); ++i) differs |= (left[i] ^ right[i]) & ~(free_[i] & transfer);
        return differs == 0;
    }

    bool operator()(const Records& a, const Records& b) const {
        return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), *this);
    }

  private:
    Words free_;
};

uint16_t fresh_of(const TraceRecord& a, const TraceRecord& b) {
    return static_cast<uint16_t>(std::min<uint32_t>(kMostFresh, uint32_t{a.fresh} + b.fresh));
}

// Powers of two up to the granule that divide an address.
uint64_t alignment(uint64_t address) { return (address | kGranule) & -(address | kGranule); }

// All cores of a trace bring in what it reads, each for itself, or none does: then their number does not matter.
bool shares_nothing(const TraceRecord& record, uint32_t cores) {
    if (record.kind != TraceKind::Transfer || (record.flags & kGmWrite)) return true;
    return record.event == 0 && (record.fresh == 0 || record.fresh == cores);
}

// Addresses of `a` that are equal are equal in `b`.
bool same_reuse(const Records& a, const Records& b) {
    AddressMap<uint64_t> there;
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i].kind == TraceKind::Transfer && there.add(a[i].gm_address, b[i].gm_address).first != b[i].gm_address)
            return false;
    }
    return true;
}

bool take_the_same_time(const Records& a, uint32_t cores_a, const Records& b, uint32_t cores_b) {
    static const Comparison same(~uint64_t{0});
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) return false;
        if (alignment(a[i].gm_address) != alignment(b[i].gm_address)) return false;
        if (!shares_nothing(a[i], cores_a) || !shares_nothing(b[i], cores_b)) return false;
        if ((a[i].fresh == 0) != (b[i].fresh == 0)) return false;
    }
    return same_reuse(a, b) && same_reuse(b, a);
}

}  // namespace

void merge(TraceRecord& into, const TraceRecord& from) {
    into.fresh = fresh_of(into, from);
    if (into.gm_address == from.gm_address && into.event < 255) ++into.event;
}

bool add_trace(LaunchTrace& trace, uint32_t index, Records& records) {
    // There are few different traces, and two that differ do so early: no need for hashes.
    static const Comparison same(~(kGranule - 1));
    for (size_t i = trace.unique.size(); i > 0; --i) {
        Records& known = trace.unique[i - 1].records;
        if (!same(known, records)) continue;
        trace.core_to_trace[index] = static_cast<uint32_t>(i - 1);
        for (size_t r = 0; r < known.size(); ++r) {
            if (known[r].kind == TraceKind::Transfer) merge(known[r], records[r]);
        }
        return false;
    }
    trace.core_to_trace[index] = static_cast<uint32_t>(trace.unique.size());
    trace.unique.push_back(CoreTrace{std::move(records)});
    return true;
}

void join_traces(LaunchTrace& trace) {
    std::vector<uint32_t> cores(trace.unique.size(), 0), place(trace.unique.size());
    for (uint32_t index : trace.core_to_trace) ++cores[index];
    std::vector<CoreTrace> kept;
    std::vector<uint32_t> counts;
    for (size_t i = 0; i < trace.unique.size(); ++i) {
        Records& next = trace.unique[i].records;
        size_t like = 0;
        while (like < kept.size() && !take_the_same_time(kept[like].records, counts[like], next, cores[i])) ++like;
        place[i] = static_cast<uint32_t>(like);
        if (like == kept.size()) {
            kept.push_back(CoreTrace{std::move(next)});
            counts.push_back(cores[i]);
            continue;
        }
        for (size_t r = 0; r < next.size(); ++r) {
            TraceRecord& record = kept[like].records[r];
            if (record.kind == TraceKind::Transfer) record.fresh = fresh_of(record, next[r]);
        }
        counts[like] += cores[i];
    }
    for (uint32_t& index : trace.core_to_trace) index = place[index];
    trace.unique = std::move(kept);
}

}  // namespace ascendopt::rt
