// What of global memory the L2 cache may hold when a core begins to read it. Internal to rt/.
#pragma once
#include <cstdint>

#include "../support/address_map.h"

namespace ascendopt::rt {

// Places are known by their first byte. Cores run one after another here and side by side on the chip, so what another
// core has read counts as just read; what one has written is older than the flag that lets others read it, and stays
// for as long as less than the cache is moved.
class L2Content {
  public:
    // `bytes` of the cache; 0: it holds all that was written.
    explicit L2Content(uint64_t bytes = 0) : window_(bytes ? bytes / 10 * 9 : UINT64_MAX) {}

    void store(uint64_t address, uint64_t bytes) {
        moved_ += bytes;
        uint64_t& at = places_.add(address).first;
        at = moved_ << 1 | (at & kRead);
    }
    void reserve(size_t places) { places_.reserve(places); }
    void prefetch(uint64_t address) const { places_.prefetch(address); }
    // True if no core has brought it in.
    bool load(uint64_t address, uint64_t bytes) {
        uint64_t& at = places_.add(address).first;
        const uint64_t written = at >> 1;
        const bool there = (at & kRead) || (written > 0 && moved_ - written <= window_);
        moved_ += bytes;
        at |= kRead;
        return !there;
    }

  private:
    static constexpr uint64_t kRead = 1;
    uint64_t window_;
    uint64_t moved_ = 0;
    AddressMap<uint64_t> places_;  // bytes moved when it was written last (0: never), and kRead, in one word
};

}  // namespace ascendopt::rt
