// From an AscVector to addresses: which elements a call touches, in what order, and what is wrong with that.
//
// A repeat is 256 B of the widest operand. Element e of repeat r lies at
//   address + r * repeat + (e / per_block) * block + (e % per_block) * size
// with all strides in bytes here. In norm mode bit e of the mask enables element e of every repeat; in counter mode
// the first `total` elements are enabled and the number of repeats follows from that.
#pragma once
#include <cstdint>
#include <vector>

#include "core.h"
#include "ops_types.h"

namespace ascendopt::rt {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kMaxLanes = 256;  // int8 would have 256; nothing has more

struct Operand {
    uint32_t address = 0;
    uint32_t bits = 0;    // of one element
    uint32_t block = 0;   // bytes from block to block
    uint32_t repeat = 0;  // bytes from repeat to repeat
    uint8_t position = 0;
    Dtype type = Dtype::None;

    // Of elements: their bits are a power of two.
    uint32_t block_shift() const { return 8u - static_cast<uint32_t>(__builtin_ctz(bits)); }
    uint32_t per_block() const { return 1u << block_shift(); }
    uint32_t bytes_of(uint32_t elements) const { return (elements * bits + 7) / 8; }
    uint8_t* at(uint32_t repeat_index) const { return local(position, address) + size_t{repeat_index} * repeat; }
};

struct Plan {
    uint32_t lanes = 0;  // elements a repeat
    uint32_t repeats = 0;
    uint32_t total = 0;  // counter mode
    bool counter = false;
    uint64_t low = 0, high = 0;  // norm mode

    bool empty() const { return repeats == 0; }
    bool active(uint32_t repeat, uint32_t lane) const;
    // One past the last active lane of a repeat.
    uint32_t end(uint32_t repeat) const;
    // All lanes up to end() are active.
    bool prefix() const;
    uint64_t elements() const;
};

// Reads and writes of one instruction.
class AccessList {
  public:
    // One range of an operand of its own.
    void add(uint32_t begin, uint64_t end, bool write);
    // Every byte range that `operand` touches under `plan`; adjacent ranges are merged. Ranges of two operands never
    // are: each must stay inside the buffer that it starts in.
    void add(const Plan& plan, const Operand& operand, bool write);
    const Access* data() const { return more_.empty() ? few_ : more_.data(); }
    int size() const { return more_.empty() ? count_ : static_cast<int>(more_.size()); }

  private:
    void extend(uint32_t begin, uint64_t end, bool write);

    static constexpr int kFew = 12;
    Access few_[kFew];
    int count_ = 0;
    int operand_start_ = 0;
    std::vector<Access> more_;
};

// `stride_block` and `stride_repeat` in 32 B blocks.
Operand operand(const AscLocal& where, uint32_t stride_block, uint32_t stride_repeat);
// The operand of a "first n" call: blocks follow each other, repeats too.
Operand contiguous(const AscLocal& where, uint32_t lanes);

// Works out mask and repeats of a call and leaves the mask registers as the call leaves them. `narrow_lanes` is the
// repeat of the narrower type, by which a mask length is read.
Plan resolve(const AscVector& call, uint32_t lanes, uint32_t narrow_lanes);

// Start addresses must be multiples of `unit` bytes.
void check_alignment(const AscVector& call, const Operand& operand, const char* name, uint32_t unit = kBlockBytes);
// Overlap of destination and source that loses data. `accumulates`: the operation may feed a repeat from the one
// before.
void check_overlap(const AscVector& call, const Plan& plan, const Operand& dst, const Operand& src, bool accumulates);

// Bank conflicts of A2 and A3 between the reads of one repeat, and between its reads and its write (TraceFlag bits).
uint8_t bank_flags(const Plan& plan, const Operand& dst, const Operand* sources, int count);

// Most blocks of one repeat that one of `operands` has in one bank group.
uint8_t bank_crowd(const Plan& plan, const Operand* operands, int count);

// Checks and trace of one instruction.
void issue(const AscVector& call, Op op, Dtype dtype, const Plan& plan, uint32_t address, uint8_t flags,
           const AccessList& accesses, uint8_t crowd = 1);

// Lanes of one repeat as a contiguous array, and back (only active lanes).
void gather_lanes(const Operand& operand, uint32_t repeat, uint32_t count, void* target);
void scatter_lanes(const Plan& plan, const Operand& operand, uint32_t repeat, const void* source);

// Families of operations; each resolves, checks, records and computes one call.
void run_reduce(const AscVector& call, Op op);
void run_gather(const AscVector& call, Op op);
void run_fill(const AscVector& call, Op op);

}  // namespace ascendopt::rt
