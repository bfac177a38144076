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
        places_.add(address).first.written = moved_;
    }
    // True if no core has brought it in.
    bool load(uint64_t address, uint64_t bytes) {
        Place& at = places_.add(address).first;
        const bool there = at.read || (at.written > 0 && moved_ - at.written <= window_);
        moved_ += bytes;
        at.read = true;
        return !there;
    }

  private:
    struct Place {
        bool read = false;
        uint64_t written = 0;
    };
    uint64_t window_;
    uint64_t moved_ = 0;
    AddressMap<Place> places_;
};

}  // namespace ascendopt::rt
