// Features -> cycles under one parameter set.
#pragma once
#include "parameters.h"
#include "program.h"

namespace ascendopt::sim {

// A step occupies its pipe for `occupancy` cycles; its result is there `latency` cycles after that. Transfers
// pipeline: the next one starts when the occupancy ends.
struct StepCost {
    double occupancy = 0;
    double latency = 0;
};

StepCost step_cost(const CostClass& c, const Params& p);
double scalar_cost(const ScalarClass& c, const Params& p);

// The part of the centre cost that rests on constants tagged `guess`, in cycles.
double guessed_cycles(const CostClass& c, const ParameterFile& file, const Params& centre);
double guessed_cycles(const ScalarClass& c, const ParameterFile& file, const Params& centre);

}  // namespace ascendopt::sim
