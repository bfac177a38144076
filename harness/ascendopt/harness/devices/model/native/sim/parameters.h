// The constants behind a prediction: read from timing/<chip>.json, each with unit, uncertainty and source.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../abi/ops.h"

namespace ascendopt::sim {

// Names are the JSON keys. Cycles are core cycles; bandwidths of one core are bytes per cycle.
// clang-format off
#define ASCENDOPT_TIMING_CONSTANTS(X)                                                                    \
    X(clock_mhz) X(vector_cores) X(l2_bytes)                                                             \
    X(hbm_gbps) X(l2_gbps) X(port_gbps) X(mix_loss) X(queue_exponent) X(hidden_exponent)                                    \
    X(vector_startup) X(vector_minimum) X(conflict_read_read) X(conflict_read_write)                     \
    X(conflict_partial_read)                                                                             \
    X(load_latency_hbm) X(load_latency_l2) X(load_bandwidth_hbm) X(load_bandwidth_l2)                    \
    X(load_l1_bandwidth_hbm) X(load_l1_bandwidth_l2)                                                     \
    X(transfer_issue) X(row_minimum) X(row_overhead) X(short_row_loss) X(granule_bytes)                  \
    X(same_address_loss) X(store_latency) X(store_bandwidth) X(local_copy_bandwidth)                     \
    X(flag_cycles) X(barrier_pipe) X(barrier_all) X(sync_all) X(cross_flag)                                          \
    X(scalar_issue) X(scalar_call) X(scalar_ub_read) X(scalar_ub_write) X(scalar_gm_read)                \
    X(scalar_gm_write)                                                                                   \
    X(mmad_step) X(mmad_gap) X(mmad_start) X(load_a_bandwidth) X(load_b_bandwidth) X(load_l0_gap)           \
    X(load_l0_start) X(load_l1_latency_l2) X(fixpipe_bandwidth) X(fixpipe_latency) X(skewed_bandwidth)                         \
    X(barrier_reduction) X(kernel_start_us)                                                              \
    X(launch_mix_us) X(launch_base_us) X(launch_core_us) X(launch_small_us) X(launch_small_share)
// clang-format on

enum class Constant : int {
#define X(name) name,
    ASCENDOPT_TIMING_CONSTANTS(X)
#undef X
        Count
};
constexpr int kConstants = static_cast<int>(Constant::Count);

enum class Source : uint8_t { Published, Fitted, Guess };

struct Uncertain {
    double value = 0;
    double uncertainty = 0;  // relative standard deviation
    Source source = Source::Guess;
    uint64_t name_hash = 0;  // position in the random stream: stable when constants are added
};

// One entry of the vector table. A call takes vector_startup + extra + body cycles, an instruction in a run of equal
// ones under a standing mask offset + body, at least `minimum`; body = repeats * max(per_repeat, conflict).
struct VectorCost {
    Uncertain per_repeat;
    Uncertain extra;
    Uncertain offset;
    Uncertain minimum;  // vector_minimum where the file says nothing
};

constexpr int kWidths = 5;  // operand width 1, 2, 4, 8 bytes; 4 = the table's `any`

// The file's content. Immutable after load.
struct ParameterFile {
    std::string chip;
    std::array<Uncertain, kConstants> constants;
    // Index: op * kWidths + width index. Every op has an entry.
    std::vector<VectorCost> vector;

    // Throws std::runtime_error with one sentence. A file may name a "base" file beside it that it overrides.
    static ParameterFile load(const std::string& path);
    const Uncertain& get(Constant c) const { return constants[static_cast<size_t>(c)]; }
};

// Index into ParameterFile::vector for an operation on a data type.
int vector_index(uint16_t op, uint8_t dtype);

const char* op_name(Op op);

// One value for each constant: the centre (sample < 0) or the sample-th set of a seeded stream.
struct Params {
    std::array<double, kConstants> constants;
    std::vector<double> vector_per_repeat;
    std::vector<double> vector_extra;
    std::vector<double> vector_offset;
    std::vector<double> vector_minimum;
    double get(Constant c) const { return constants[static_cast<size_t>(c)]; }
};
Params draw(const ParameterFile& file, int64_t sample, uint64_t seed);

// Counter-based generator: a standard normal deviate (sum of twelve uniforms, so the same bits on every machine)
// that depends on nothing but its three arguments.
double deviate(uint64_t seed, uint64_t sample, uint64_t name_hash);

}  // namespace ascendopt::sim
