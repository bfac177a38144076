#include "costs.h"

#include <algorithm>

namespace ascendopt::sim {

namespace {

// Cycles that the banks of UB need for one repeat.
double bank_cycles(const CostClass& c, const Params& p) {
    double cycles = c.crowd > 1 ? c.crowd : 0;
    if (c.flags & kPartialReadRead) cycles = std::max(cycles, p.get(Constant::conflict_partial_read));
    if (c.flags & kBankReadWrite) cycles = std::max(cycles, p.get(Constant::conflict_read_write));
    if (c.flags & kBankReadRead) cycles = std::max(cycles, p.get(Constant::conflict_read_read));
    return cycles;
}

double vector_cycles(const CostClass& c, const Params& p) {
    const auto index = static_cast<size_t>(c.vector);
    const double body = c.repeats * std::max(p.vector_per_repeat[index], bank_cycles(c, p));
    const double in_run = std::max(p.vector_offset[index] + body, p.vector_minimum[index]);
    if (c.run) return in_run;
    return p.get(Constant::vector_startup) + p.vector_extra[index] + std::max(body, p.vector_minimum[index]);
}

// R rows of b bytes: the DMA engine needs row_overhead + b/bandwidth for a row, and issue slots bound the whole.
double transfer_cycles(const CostClass& c, double bandwidth, const Params& p) {
    double granule = p.get(Constant::granule_bytes);
    double bytes = c.row_bytes;
    if (!c.aligned && granule > 0) bytes += granule;
    double row = bytes / bandwidth;
    if (c.repeats > 1) row = std::max(p.get(Constant::row_minimum), p.get(Constant::row_overhead) + row);
    return std::max(p.get(Constant::transfer_issue), c.repeats * row);
}

StepCost load_cost(const CostClass& c, const Params& p) {
    const bool l1 = c.kind == CostClass::Kind::LoadL1;
    const double near = transfer_cycles(c, p.get(l1 ? Constant::load_l1_bandwidth_l2 : Constant::load_bandwidth_l2), p);
    const double far =
        transfer_cycles(c, p.get(l1 ? Constant::load_l1_bandwidth_hbm : Constant::load_bandwidth_hbm), p);
    const double near_latency = p.get(l1 ? Constant::load_l1_latency_l2 : Constant::load_latency_l2);
    const double missing = c.hit ? 0 : 1.0 / c.bringers;
    StepCost out{missing * far + (1 - missing) * near,
                 missing * p.get(Constant::load_latency_hbm) + (1 - missing) * near_latency};
    if (c.skewed) {
        const double row = p.get(Constant::row_overhead) + c.row_bytes / p.get(Constant::skewed_bandwidth);
        out.occupancy = std::max(out.occupancy, c.repeats * row);
    }
    out.occupancy *= 1 + p.get(Constant::same_address_loss) * (1 - 1.0 / c.sharers);
    return out;
}

// `start` of the unit, then by bytes or steps; instructions of one kind that follow each other start in `gap` cycles.
StepCost cube_cost(const CostClass& c, const Params& p) {
    const auto cycles = [&](double body, Constant gap, Constant start) {
        return StepCost{body + p.get(c.run ? gap : start), 0};
    };
    switch (static_cast<CubeOp>(c.vector)) {
        case CubeOp::Mmad:
        case CubeOp::MmadHf32:
            return cycles(c.repeats * p.get(Constant::mmad_step), Constant::mmad_gap, Constant::mmad_start);
        case CubeOp::LoadA:
            return cycles(c.row_bytes / p.get(Constant::load_a_bandwidth), Constant::load_l0_gap,
                          Constant::load_l0_start);
        case CubeOp::Fixpipe:
            return {c.row_bytes / p.get(Constant::fixpipe_bandwidth), p.get(Constant::fixpipe_latency)};
        case CubeOp::LoadB:
        case CubeOp::LoadTable:
        case CubeOp::Fill:
        case CubeOp::None:
            break;
    }
    return cycles(c.row_bytes / p.get(Constant::load_b_bandwidth), Constant::load_l0_gap, Constant::load_l0_start);
}

}  // namespace

StepCost step_cost(const CostClass& c, const Params& p) {
    switch (c.kind) {
        case CostClass::Kind::Vector:
            return {vector_cycles(c, p), 0};
        case CostClass::Kind::Load:
        case CostClass::Kind::LoadL1:
            return load_cost(c, p);
        case CostClass::Kind::Store:
            return {transfer_cycles(c, p.get(Constant::store_bandwidth), p), p.get(Constant::store_latency)};
        case CostClass::Kind::Local:
            return {transfer_cycles(c, p.get(Constant::local_copy_bandwidth), p), p.get(Constant::vector_startup)};
        case CostClass::Kind::FixStore:
            return {transfer_cycles(c, p.get(Constant::fixpipe_bandwidth), p), p.get(Constant::fixpipe_latency)};
        case CostClass::Kind::Cube:
            break;
    }
    return cube_cost(c, p);
}

double scalar_cost(const ScalarClass& c, const Params& p) {
    return (c.issue ? p.get(Constant::scalar_issue) : 0) + c.calls * p.get(Constant::scalar_call) +
           c.ub_reads * p.get(Constant::scalar_ub_read) + c.ub_writes * p.get(Constant::scalar_ub_write) +
           c.gm_reads * p.get(Constant::scalar_gm_read) + c.gm_writes * p.get(Constant::scalar_gm_write);
}

double guessed_cycles(const CostClass& c, const ParameterFile& file, const Params& centre) {
    StepCost cost = step_cost(c, centre);
    switch (c.kind) {
        case CostClass::Kind::Vector: {
            const VectorCost& entry = file.vector[static_cast<size_t>(c.vector)];
            double startup = c.run ? 0 : centre.get(Constant::vector_startup) + entry.extra.value;
            double body = cost.occupancy - startup;
            return (entry.per_repeat.source == Source::Guess ? body : 0) +
                   (!c.run && entry.extra.source == Source::Guess ? entry.extra.value : 0);
        }
        case CostClass::Kind::Load:
        case CostClass::Kind::LoadL1:
            return c.hit && file.get(Constant::load_latency_l2).source == Source::Guess ? cost.latency : 0;
        case CostClass::Kind::Store:
        case CostClass::Kind::FixStore:
        case CostClass::Kind::Cube:
            return 0;
        case CostClass::Kind::Local:
            break;
    }
    return cost.occupancy + cost.latency;
}

double guessed_cycles(const ScalarClass& c, const ParameterFile& file, const Params& centre) {
    double sum = 0;
    auto add = [&](Constant constant, double times) {
        if (file.get(constant).source == Source::Guess) sum += times * centre.get(constant);
    };
    add(Constant::scalar_issue, c.issue ? 1 : 0);
    add(Constant::scalar_call, c.calls);
    add(Constant::scalar_ub_read, c.ub_reads);
    add(Constant::scalar_ub_write, c.ub_writes);
    add(Constant::scalar_gm_read, c.gm_reads);
    add(Constant::scalar_gm_write, c.gm_writes);
    return sum;
}

}  // namespace ascendopt::sim
