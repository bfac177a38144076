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
    double launch_us = 0;                                // the part of it before and after the cores run
    double pipe_us[static_cast<int>(Pipe::Count)] = {};  // busy time of the fullest core
    Pipe bound = Pipe::S;
    double guessed_share = 0;  // share of busy cycles that rest on constants tagged `guess`

    // What no arrangement of this work would take less than, by resource; and the bytes behind it.
    double hbm_us = 0, l2_us = 0;
    double unloaded_us[static_cast<int>(Pipe::Count)] = {};  // busy time of the fullest core if it were alone
    double read_bytes = 0, write_bytes = 0, hbm_bytes = 0;   // of all cores
};

// One instruction or transfer of the fullest core, or a wait of one of its pipes; where cores of an AI Core wait for
// each other, of all of them.
struct TimelineSpan {
    Pipe pipe;
    bool waits;
    double start_us, duration_us;
    const TraceRecord* record;  // lies in the trace
    bool cube;                  // of the cube core beside vector cores
    int vector;                 // number of the vector core in its AI Core; -1 where one core is shown alone
};

// Prediction and ensemble of one trace, from one preparation of it.
struct Forecast {
    Prediction centre;
    std::vector<double> samples_us;
    std::vector<double> launch_samples_us;  // the part of each that is launch
};

class Model {
  public:
    // Reads timing/<chip>.json. Throws std::runtime_error with one sentence.
    static Model load(const std::string& path);
    // All of it at once. Throws std::runtime_error with one sentence when the trace cannot run (a flag that is waited
    // for and never set, cores that disagree on SyncAll). `samples` parameter sets are drawn with `seed`.
    Forecast forecast(const LaunchTrace& trace, int samples, uint64_t seed) const;
    // The fullest core under the centre, at most `limit` spans; `total` says how many there were.
    std::vector<TimelineSpan> timeline(const LaunchTrace& trace, size_t limit, size_t& total) const;
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
