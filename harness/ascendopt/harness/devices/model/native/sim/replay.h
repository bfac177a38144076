// Trace -> time. Event-driven replay with shared bandwidth; formulas and constants in docs/model-device.md.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../abi/trace.h"

namespace ascendopt::sim {

// One point of parameter space: the values behind timing/<chip>.json after scaling by a sampled uncertainty.
struct Params;

struct Prediction {
    double latency_us = 0;
    double pipe_us[static_cast<int>(Pipe::Count)] = {};  // busy time of the fullest core
    Pipe bound = Pipe::S;
    double guessed_share = 0;  // share of busy cycles that rest on constants tagged `guess`
};

class Model {
  public:
    // Reads timing/<chip>.json. Throws std::runtime_error with one sentence.
    static Model load(const std::string& path);
    // Centre values.
    Prediction replay(const LaunchTrace& trace) const;
    // `samples` parameter sets drawn from the uncertainties with `seed`: the same sets for every trace.
    std::vector<double> ensemble(const LaunchTrace& trace, int samples, uint64_t seed) const;
    ~Model();
    Model(Model&&) noexcept;

  private:
    Model();
    struct Impl;
    Impl* impl_;
};

}  // namespace ascendopt::sim
