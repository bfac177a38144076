#include "closed_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "state.h"

namespace ascendopt::rt {

namespace {

uint64_t page() {
    static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}
uint64_t page_begin(uint64_t address) { return address / page() * page(); }

void protect(uint64_t begin, uint64_t end, int how) { mprotect(reinterpret_cast<void*>(begin), end - begin, how); }

}  // namespace

void ClosedMemory::close(const std::vector<Allocation>& allocations) {
    const auto range = [](const Allocation& at) {
        return Range{page_begin(at.host), page_begin(at.host + std::max<uint64_t>(at.bytes, 1) - 1) + page()};
    };
    for (const Allocation& at : allocations) {
        const Range pages = range(at);
        const bool shared = std::any_of(allocations.begin(), allocations.end(), [&](const Allocation& other) {
            const Range theirs = range(other);
            return other.has_values && theirs.begin < pages.end && pages.begin < theirs.end;
        });
        if (at.has_values || at.bytes == 0 || shared) continue;
        protect(pages.begin, pages.end, PROT_NONE);
        ranges_.push_back(pages);
    }
}

void ClosedMemory::open(uint64_t address, uint64_t bytes) {
    const uint64_t begin = page_begin(address);
    if (ranges_.empty() || (begin == opened_ && address + bytes <= begin + page()) || !holds(address)) return;
    protect(begin, page_begin(address + std::max<uint64_t>(bytes, 1) - 1) + page(), PROT_READ | PROT_WRITE);
    opened_ = begin;
}

void ClosedMemory::open_all() {
    for (const Range& each : ranges_) protect(each.begin, each.end, PROT_READ | PROT_WRITE);
    ranges_.clear();
}

bool ClosedMemory::holds(uint64_t address) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [address](const Range& each) { return address >= each.begin && address < each.end; });
}

bool open_closed_memory(uint64_t address, bool writes) {
    if (!current || !current->core || !current->closed.holds(address)) return false;
    if (writes) {
        current->closed.open(address, 1);
        return true;
    }
    data_dependent("a pointer to global memory");
    current->closed.open_all();
    return true;
}

}  // namespace ascendopt::rt
