// Global memory that has no values in timing mode: closed, so that a kernel that reads it through a pointer is noticed.
// Internal to rt/.
#pragma once
#include <cstdint>
#include <vector>

namespace ascendopt::rt {

struct Allocation;

class ClosedMemory {
  public:
    ClosedMemory() = default;
    ClosedMemory(const ClosedMemory&) = delete;
    ClosedMemory& operator=(const ClosedMemory&) = delete;
    ~ClosedMemory() { open_all(); }

    // Closes the pages of all allocations without values that share no page with others.
    void close(const std::vector<Allocation>& allocations);
    // The pages of [address, address + bytes), for an access that the runtime knows of.
    void open(uint64_t address, uint64_t bytes);
    void open_all();
    bool holds(uint64_t address) const;

  private:
    struct Range {
        uint64_t begin, end;
    };
    std::vector<Range> ranges_;
    uint64_t opened_ = 0;  // page that was opened last
};

}  // namespace ascendopt::rt
