// The bytes that DataCopyPad fills up a block with, when nobody has said with what. Internal to rt/.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace ascendopt::rt {

// Ranges of UB in ascending order, none overlaps another.
class Filler {
  public:
    bool empty() const { return ranges_.empty(); }

    void add(uint32_t begin, uint32_t end) {
        if (begin < end) ranges_.insert(first_after(begin), Range{begin, end});
    }
    // Something else is there now. A range that is cut keeps its front.
    void overwrite(uint32_t begin, uint32_t end) {
        const auto from = first_after(begin);
        auto to = from;
        while (to != ranges_.end() && to->begin < end) ++to;
        if (from != ranges_.begin() && std::prev(from)->end > begin && std::prev(from)->begin < begin) {
            std::prev(from)->end = begin;
        }
        ranges_.erase(from, to);
    }
    // The first byte of filler in [begin, end); `end` if there is none.
    uint32_t find(uint32_t begin, uint32_t end) const {
        auto at = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                   [](uint32_t value, const Range& range) { return value < range.end; });
        return at == ranges_.end() || at->begin >= end ? end : std::max(at->begin, begin);
    }
    void clear() { ranges_.clear(); }

  private:
    struct Range {
        uint32_t begin;
        uint32_t end;
    };
    std::vector<Range>::iterator first_after(uint32_t begin) {
        return std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                [](const Range& range, uint32_t value) { return range.begin < value; });
    }

    std::vector<Range> ranges_;
};

}  // namespace ascendopt::rt
