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

    // Room for so many addresses in all.
    void reserve(size_t addresses) {
        while (3 * slots_.size() < 4 * (addresses + 1)) grow();
    }
    // Brings in what `add` of this address will look at.
    void prefetch(uint64_t address) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[start(slots_, address + 1)]);
    }

  private:
    struct Slot {
        uint64_t key = 0;  // the address and one more; 0: free
        [[no_unique_address]] Value value;
    };

    // Addresses are multiples of powers of two: the product's upper half spreads them.
    static size_t start(const std::vector<Slot>& slots, uint64_t key) {
        return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 32) & (slots.size() - 1);
    }

    static Slot& place(std::vector<Slot>& slots, uint64_t key) {
        const size_t mask = slots.size() - 1;
        size_t at = start(slots, key);
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
