// Registers of the vector unit that the scalar unit reads or writes: results of reductions, and addresses.
#include <cstring>

#include "half.h"
#include "vector_plan.h"

using namespace ascendopt::rt;

uint64_t asc_vector_register(uint8_t which) {
    ASC_ENTER("GetReduceRepeatSumSpr");
    if (!functional()) data_dependent("GetReduceRepeatSumSpr");
    if (which < kAscMerged) return mask().reduced[which];
    uint64_t lists;
    std::memcpy(&lists, mask().merged, sizeof lists);
    return lists;
}

void asc_va_register(uint8_t which, const uint64_t* addresses) {
    ASC_ENTER("set_va_reg_sb");
    std::memcpy(mask().addresses[which & 7], addresses, sizeof mask().addresses[0]);
}

// Two registers that follow each other, as one list.
const uint64_t* asc_va_list(uint8_t first) {
    end_repetition();
    return mask().addresses[first > 6 ? 6 : first];
}

uint16_t asc_float_to_half(float value, uint8_t round) { return f32_to_f16(value, static_cast<Round>(round)); }
