// One core's time under several parameter sets at once: a walk over the steps in program order.
#pragma once
#include <array>
#include <vector>

#include "program.h"

namespace ascendopt::sim {

constexpr int kLanes = 8;
using Lanes = std::array<double, kLanes>;

// Costs of all classes for the lanes of one walk. Lane i is parameter set i.
struct LaneCosts {
    std::vector<Lanes> occupancy;  // by cost class
    std::vector<Lanes> latency;
    std::vector<Lanes> scalar;  // by scalar class
    Lanes flag, barrier_pipe, barrier_reduction, barrier_all;
};
LaneCosts lane_costs(const Launch& launch, const std::vector<Params>& lanes);

// How the chip's load changes one core, for attribution to pipes (replay.cpp explains).
struct Load {
    double stretch = 1;          // factor on the occupancy of loads that miss the L2 cache
    double store_bandwidth = 0;  // bytes per cycle at most; 0 = the core's own
    bool store_blocks_load = false;
};

// Cycles of each segment (between SyncAlls), and the busy cycles of each pipe over all segments.
struct Walk {
    std::vector<Lanes> segments;
    std::array<Lanes, kPipes> busy{};
};
Walk walk(const Launch& launch, const Program& program, const LaneCosts& costs);

// When a step kept its pipe, or made it wait for a flag; in cycles from the start of the core.
struct Span {
    uint32_t step;
    Pipe pipe;
    bool waits;
    double start, end;
};

// The same for lane 0 alone, under load.
struct LoadedWalk {
    double cycles = 0;
    std::array<double, kPipes> busy{};
    Load load;
};
LoadedWalk walk_loaded(const Launch& launch, const Program& program, const LaneCosts& costs, const Load& load,
                       std::vector<Span>* spans = nullptr);

}  // namespace ascendopt::sim
