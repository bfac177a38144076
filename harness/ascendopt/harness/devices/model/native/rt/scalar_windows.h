// Blocks of local memory that the scalar unit has just touched without a complaint. Internal to rt/.
#pragma once
#include <array>
#include <cstdint>

#include "shadow.h"

namespace ascendopt::rt {

// Until the core calls anything else, another scalar access to such a block can find nothing new: no other pipe gets
// on, no flag is set, no buffer changes hands. A block that was written may be read and written, one that was read may
// be read.
class ScalarWindows {
  public:
    bool covers(uint32_t memory, uint64_t address, uint32_t bytes, bool write) const {
        const Window& at = windows_[place(address)];
        return at.key == key(memory, address) && in_block(address, bytes) && (at.written || !write);
    }
    void open(uint32_t memory, uint64_t address, uint32_t bytes, bool write) {
        if (!in_block(address, bytes)) return;
        Window& at = windows_[place(address)];
        const uint64_t wanted = key(memory, address);
        at.written = write || (at.key == wanted && at.written);
        at.key = wanted;
    }
    void close_all() { ++age_; }

  private:
    struct Window {
        uint64_t key = 0;
        bool written = false;
    };
    uint64_t age_ = 1;
    std::array<Window, 16> windows_;

    static bool in_block(uint64_t address, uint32_t bytes) { return address % kBlock + bytes <= kBlock; }
    // Blocks of addresses that no memory has are never open.
    uint64_t key(uint32_t memory, uint64_t address) const {
        return age_ << 32 | uint64_t{memory} << 28 | ((address / kBlock) & 0xFFFFFFF);
    }
    // Loops go through several tensors side by side, which often lie a power of two apart.
    static size_t place(uint64_t address) {
        return static_cast<uint32_t>(static_cast<uint32_t>(address / kBlock) * 0x9E3779B1u) >> 28;
    }
};

}  // namespace ascendopt::rt
