// Region proposals of older chips: eight elements, of which the fifth is the score. Merged into, taken out of, sorted.
#include <algorithm>
#include <array>
#include <cstring>

#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

constexpr uint32_t kElements = 8, kScore = 4, kGroup = 16, kLists = 4;

struct Proposal {
    std::array<uint8_t, 32> bytes{};
    float score = 0;
};

// The proposals of one call: half takes 16 bytes each, float 32.
class Proposals {
  public:
    explicit Proposals(const AscComposite& call)
        : half_(static_cast<Dtype>(call.out[0].dtype) == Dtype::F16), size_(half_ ? 2 : 4) {
        check_type(call, call.out[0], kHalfOrFloat);
    }
    uint32_t element_bytes() const { return size_; }
    uint32_t bytes() const { return kElements * size_; }
    Proposal read(const uint8_t* from) const {
        Proposal out;
        std::memcpy(out.bytes.data(), from, bytes());
        uint32_t raw = 0;
        std::memcpy(&raw, from + kScore * size_, size_);
        out.score = half_ ? f16_to_f32(static_cast<uint16_t>(raw)) : bits_float(raw);
        return out;
    }
    void write(uint8_t* to, const Proposal& proposal) const { std::memcpy(to, proposal.bytes.data(), bytes()); }

  private:
    bool half_;
    uint32_t size_;
};

uint8_t* start(const AscLocal& where) { return local(where.position, where.address); }

// in: elements or proposals; value: 0 = groups of 16; 1 = which of the eight elements.
void move_elements(const AscComposite& call, bool concat) {
    check_starts(call);
    const Proposals at(call);
    const uint64_t count = call.value[0] * kGroup, element = call.value[1];
    if (element > 5) {
        fatal("unsupported", call.api, "%s: modeNumber is %llu, but 0 to 5 name the elements of a proposal", call.api,
              static_cast<unsigned long long>(element));
    }
    const uint64_t plain = count * at.element_bytes(), all = count * at.bytes();
    Sequence sequence(call);
    sequence.reads_bytes(call.in[0], concat ? plain : all);
    sequence.writes_bytes(call.out[0], concat ? all : plain);
    sequence.step(Op::Copy, static_cast<Dtype>(call.out[0].dtype), count);
    if (!sequence.issue(true)) return;
    const uint8_t* from = start(call.in[0]);
    uint8_t* to = start(call.out[0]);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t inside = i * at.bytes() + element * at.element_bytes(), outside = i * at.element_bytes();
        std::memcpy(to + (concat ? inside : outside), from + (concat ? outside : inside), at.element_bytes());
    }
}

// in: proposals; value 0 = groups of 16, each sorted; the earlier of equal scores comes first.
void sort_groups(const AscComposite& call) {
    check_starts(call);
    const Proposals at(call);
    const uint64_t groups = call.value[0], bytes = groups * kGroup * at.bytes();
    Sequence sequence(call);
    sequence.reads_bytes(call.in[0], bytes);
    sequence.writes_bytes(call.out[0], bytes);
    sequence.step(Op::Sort32, Dtype::I64, groups * kGroup);
    if (!sequence.issue(true)) return;
    std::vector<Proposal> group(kGroup);
    for (uint64_t g = 0; g < groups; ++g) {
        const uint64_t first = g * kGroup * at.bytes();
        for (uint32_t i = 0; i < kGroup; ++i) group[i] = at.read(start(call.in[0]) + first + i * at.bytes());
        std::stable_sort(group.begin(), group.end(),
                         [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
        for (uint32_t i = 0; i < kGroup; ++i) at.write(start(call.out[0]) + first + i * at.bytes(), group[i]);
    }
}

// in: up to four sorted lists; value: 0..3 = their lengths; 4 = valid bits; 5 = repeats; 6 = 1: stop when one ends.
void merge_lists(const AscComposite& call) {
    const Proposals at(call);
    uint64_t lengths[kLists] = {}, total = 0;
    for (uint32_t i = 0; i < kLists; ++i) {
        lengths[i] = (call.value[4] >> i) & 1 ? call.value[i] : 0;
        total += lengths[i];
    }
    const uint64_t repeats = call.value[5];
    const bool suspend = call.value[6] != 0;
    if (total == 0 || repeats == 0) return;
    Sequence sequence(call);
    for (uint32_t i = 0; i < kLists; ++i) {
        if (lengths[i]) sequence.reads_bytes(call.in[i], lengths[i] * at.bytes());
    }
    sequence.writes_bytes(call.out[0], total * repeats * at.bytes());
    sequence.step(Op::MrgSort, Dtype::I64, total * repeats);
    uint64_t taken[kLists] = {};
    if (!sequence.issue(true)) {
        if (suspend) data_dependent(call.api);
        std::copy(std::begin(lengths), std::end(lengths), std::begin(taken));
    }
    for (uint64_t r = 0; functional() && r < repeats; ++r) {
        const uint64_t skipped = r * total * at.bytes();
        std::vector<Proposal> source[kLists], merged;
        for (uint32_t i = 0; i < kLists; ++i) {
            taken[i] = 0;
            for (uint64_t k = 0; k < lengths[i]; ++k) {
                source[i].push_back(at.read(start(call.in[i]) + skipped + k * at.bytes()));
            }
        }
        for (bool ended = false; !ended;) {
            int best = -1;
            for (uint32_t i = 0; i < kLists; ++i) {
                if (taken[i] >= lengths[i]) continue;
                if (best < 0 || source[i][taken[i]].score > source[best][taken[best]].score) best = static_cast<int>(i);
            }
            if (best < 0) break;
            merged.push_back(source[best][taken[best]++]);
            ended = suspend && taken[best] == lengths[best];
        }
        for (size_t k = 0; k < merged.size(); ++k) at.write(start(call.out[0]) + skipped + k * at.bytes(), merged[k]);
    }
    for (uint32_t i = 0; i < kLists; ++i) mask().merged[i] = static_cast<uint16_t>(taken[i]);
}

}  // namespace

void run_proposals(const AscComposite& call, Composite op) {
    if (!call.value[11]) fatal("unsupported", call.api, "%s does not exist on this chip", call.api);
    switch (op) {
        case Composite::ProposalConcat:
            return move_elements(call, true);
        case Composite::ProposalExtract:
            return move_elements(call, false);
        case Composite::RpSort16:
            return sort_groups(call);
        default:
            return merge_lists(call);
    }
}

}  // namespace ascendopt::rt
