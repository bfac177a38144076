// Times of cores under several parameter sets at once: walks over their steps in program order.
#pragma once
#include <array>
#include <vector>

#include "program.h"

namespace ascendopt::sim {

constexpr int kLanes = 8;
// Side by side; loops that the compiler turns into vector instructions, whichever it may use.
struct alignas(kLanes * sizeof(double)) Lanes {
    double values[kLanes];

    double& operator[](size_t lane) { return values[lane]; }
    double operator[](size_t lane) const { return values[lane]; }
    Lanes& operator+=(const Lanes& other) {
        for (int i = 0; i < kLanes; ++i) values[i] += other.values[i];
        return *this;
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        Lanes out;
        for (int i = 0; i < kLanes; ++i) out.values[i] = a.values[i] + b.values[i];
        return out;
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        Lanes out;
        for (int i = 0; i < kLanes; ++i) out.values[i] = a.values[i] - b.values[i];
        return out;
    }
};
inline void raise(Lanes& value, const Lanes& least) {
    for (int i = 0; i < kLanes; ++i)
        value.values[i] = value.values[i] < least.values[i] ? least.values[i] : value.values[i];
}
inline void raise(double& value, double least) { value = value < least ? least : value; }

// Costs of all classes for the lanes of one walk. Lane i is parameter set i; lanes from `used` on mean nothing.
struct LaneCosts {
    int used = kLanes;
    std::vector<Lanes> occupancy;  // by cost class
    std::vector<Lanes> latency;
    std::vector<Lanes> scalar;  // by scalar class
    Lanes flag{}, barrier_pipe{}, barrier_reduction{}, barrier_all{};
    std::array<Lanes, static_cast<size_t>(CrossMode::Count)> cross{};  // from set to wait, between cores
};
// At most kLanes sets.
LaneCosts lane_costs(const Launch& launch, const std::vector<const Params*>& lanes);

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
// By track. Throws std::runtime_error when cores wait for each other for ever.
std::vector<Walk> walk(const Launch& launch, const LaneCosts& costs);

// When a step kept its pipe, or made it wait; in cycles from the start of the core.
struct Span {
    uint32_t step;
    Pipe pipe;
    bool waits;
    double start, end;
};

// The same for lane 0 alone, under load, with spans by track of `units` where they are wanted. Tracks of units that
// are not among `units` stay empty.
struct LoadedWalk {
    std::vector<double> segments;
    std::array<double, kPipes> busy{};
    std::vector<Span> spans;
};
std::vector<LoadedWalk> walk_loaded(const Launch& launch, const std::vector<uint32_t>& units, const LaneCosts& costs,
                                    const Load& load, bool spans = false);

}  // namespace ascendopt::sim
