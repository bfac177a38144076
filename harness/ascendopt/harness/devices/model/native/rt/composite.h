// Functions that stand for a sequence of vector instructions. Their values are computed as a whole in binary32; their
// time comes from the steps that the documentation describes: one trace record for each instruction, a barrier of the
// vector pipe between steps that depend on each other.
#pragma once
#include <cstdint>
#include <vector>

#include "core.h"
#include "ops_types.h"
#include "vector_plan.h"

namespace ascendopt::rt {

class Sequence {
  public:
    explicit Sequence(const AscComposite& call) : call_(call) {}

    Dtype type(int input = 0) const { return static_cast<Dtype>(call_.in[input].dtype); }
    // Elements that the function reads from an input or writes to an output, from its start.
    void reads(int input, uint64_t elements) { add(reads_, call_.in[input], elements, false); }
    void writes(int output, uint64_t elements) { add(writes_, call_.out[output], elements, true); }
    void reads_bytes(const AscLocal& where, uint64_t bytes) { reads_.add(where.address, where.address + bytes, false); }
    void writes_bytes(const AscLocal& where, uint64_t bytes) {
        writes_.add(where.address, where.address + bytes, true);
    }
    // `calls` instructions of one operation over `elements` elements in all.
    void step(Op op, Dtype type, uint64_t elements, uint32_t calls = 1);
    // Bytes that the function needs besides, where its caller passes none.
    void scratch(uint64_t bytes) { scratch_ = bytes; }
    // Steps with barriers between them; the first reads and uses the scratch, the last writes. True: compute values.
    // Functions that are more than one instruction leave norm mode and a full mask behind.
    bool issue(bool keeps_mask = false);

  private:
    struct Step {
        Op op;
        Dtype type;
        uint64_t elements;
        uint32_t calls;
    };
    static void add(AccessList& list, const AscLocal& where, uint64_t elements, bool write);
    void record(const Step& step, const AccessList* accesses) const;

    const AscComposite& call_;
    std::vector<Step> steps_;
    AccessList reads_;
    AccessList writes_;
    uint64_t scratch_ = 0;
};

// Ends the run unless an operand has one of the types in `allowed` (bits by Dtype).
constexpr uint32_t type_bit(Dtype type) { return 1u << static_cast<uint32_t>(type); }
constexpr uint32_t kHalfOrFloat = type_bit(Dtype::F16) | type_bit(Dtype::F32);
void check_type(const AscComposite& call, const AscLocal& operand, uint32_t allowed);
// Start addresses must be multiples of 32 B.
void check_starts(const AscComposite& call);

// Elements as binary32 (half, bfloat16_t, float, integers up to 32 bits), and back with rounding to nearest even.
std::vector<float> load_values(const AscLocal& where, size_t count, size_t first = 0);
void store_values(const AscLocal& where, const float* values, size_t count, size_t first = 0);
// Neighbours are added until one value is left, each sum rounded to `type`; as ReduceSum does inside a repeat.
float tree_sum(float* values, uint32_t count, Dtype type);
// The sum of a row in such trees, level by level.
float row_sum(std::vector<float> values, Dtype type);
// The steps that reduce `rows` rows of n elements: all rows at once if a row fits in a repeat, else row by row.
void reduce_rows(Sequence& sequence, Op op, Dtype type, uint64_t rows, uint64_t n);
inline float parameter(uint64_t bits) {
    float value;
    const auto low = static_cast<uint32_t>(bits);
    __builtin_memcpy(&value, &low, sizeof value);
    return value;
}

void run_layout(const AscComposite& call, Composite op);
void transpose_axes(const AscComposite& call);
void change_format(const AscComposite& call);
void run_axis(const AscComposite& call, Composite op);
void run_sort(const AscComposite& call, Composite op);
void run_proposals(const AscComposite& call, Composite op);
void run_softmax(const AscComposite& call, Composite op);
void softmax_flash_shifted(const AscComposite& call);
void run_norm(const AscComposite& call, Composite op);
void run_quant(const AscComposite& call, Composite op);
void interpolate(const AscComposite& call);
void run_choice(const AscComposite& call, Composite op);

}  // namespace ascendopt::rt
