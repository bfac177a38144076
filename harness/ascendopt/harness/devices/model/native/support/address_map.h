// Addresses -> values, in one array with open addressing: what is touched once a transfer must not allocate.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ascendopt {

template <class Value>
class AddressMap {
  public:
    // The value of `address` (any but the last one) and whether it is new; a new one starts as `value`. Valid until the
    // next call.
    std::pair<Value&, bool> add(uint64_t address, const Value& value = {}) {
        if (4 * (used_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = place(slots_, address + 1);
        if (slot.key != 0) return {slot.value, false};
        slot.key = address + 1;
        slot.value = value;
        ++used_;
        return {slot.value, true};
    }

  private:
    struct Slot {
        uint64_t key = 0;  // the address and one more; 0: free
        [[no_unique_address]] Value value;
    };

    static Slot& place(std::vector<Slot>& slots, uint64_t key) {
        const size_t mask = slots.size() - 1;
        // Addresses are multiples of powers of two: the product's upper half spreads them.
        size_t at = static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 32) & mask;
        while (slots[at].key != 0 && slots[at].key != key) at = (at + 1) & mask;
        return slots[at];
    }

    void grow() {
        std::vector<Slot> larger(slots_.empty() ? 64 : 2 * slots_.size());
        for (const Slot& slot : slots_) {
            if (slot.key != 0) place(larger, slot.key) = slot;
        }
        slots_.swap(larger);
    }

    std::vector<Slot> slots_;  // a power of two
    size_t used_ = 0;
};

}  // namespace ascendopt
