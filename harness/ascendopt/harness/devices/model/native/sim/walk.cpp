#include "walk.h"

#include <memory>
#include <stdexcept>

#include "walker.h"

namespace ascendopt::sim {

namespace {

// Within an AI Core a flag is a counter; what reaches all cores, or goes through global memory, takes as a SyncAll.
Constant cross_cost(size_t mode) {
    const auto what = static_cast<CrossMode>(mode);
    return what == CrossMode::Pair || what == CrossMode::Group ? Constant::cross_flag : Constant::sync_all;
}

// Cores that are walked together: each goes on until it waits for another.
template <int W>
class Chip {
  public:
    using Core = Walker<W>;

    Chip(const Launch& launch, const std::vector<uint32_t>& units, const LaneCosts& costs, const Load* load)
        : launch_(launch), crossing_(launch) {
        for (uint32_t unit : units) {
            std::vector<std::unique_ptr<Core>> cores;
            SharedCube<W>* cube = nullptr;
            if (launch.units[unit].shares_cube) {
                cubes_.push_back(std::make_unique<SharedCube<W>>());
                cube = cubes_.back().get();
            }
            for (uint32_t track : launch.units[unit].tracks)
                cores.push_back(std::make_unique<Core>(launch, track, costs, load, &crossing_, cube));
            units_.push_back(std::move(cores));
        }
    }

    void run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (auto& cores : units_) moved = run(cores) || moved;
        }
        for (auto& cores : units_) {
            for (auto& core : cores) {
                if (core->state() != Core::State::Done)
                    throw std::runtime_error("a core waits for " + core->awaited() +
                                             " that is never set: the kernel would hang");
            }
        }
    }

    std::vector<std::vector<std::unique_ptr<Core>>>& units() { return units_; }

  private:
    const Launch& launch_;
    Crossing<W> crossing_;
    std::vector<std::unique_ptr<SharedCube<W>>> cubes_;
    std::vector<std::vector<std::unique_ptr<Core>>> units_;

    // As far as the cores of one AI Core come. The cube goes to the one that asked for it first.
    static bool run(std::vector<std::unique_ptr<Core>>& cores) {
        bool moved = false;
        while (true) {
            Core* first = nullptr;
            bool went = false;
            for (auto& core : cores) {
                if (core->can_go()) {
                    core->advance();
                    went = true;
                }
            }
            moved = moved || went;
            if (went) continue;
            for (auto& core : cores) {
                if (core->state() == Core::State::WantsCube && (!first || core->asked() < first->asked()))
                    first = core.get();
            }
            if (!first) return moved;
            moved = true;
            first->grant_cube();
        }
    }
};

std::vector<uint32_t> all_units(const Launch& launch) {
    std::vector<uint32_t> out;
    for (uint32_t unit = 0; unit < launch.units.size(); ++unit) out.push_back(unit);
    return out;
}

}  // namespace

LaneCosts lane_costs(const Launch& launch, const std::vector<Params>& lanes) {
    LaneCosts out;
    out.occupancy.resize(launch.costs.size());
    out.latency.resize(launch.costs.size());
    out.scalar.resize(launch.scalars.size());
    for (size_t lane = 0; lane < kLanes; ++lane) {
        const Params& p = lanes[std::min(lane, lanes.size() - 1)];
        for (size_t i = 0; i < launch.costs.size(); ++i) {
            StepCost cost = step_cost(launch.costs[i], p);
            out.occupancy[i][lane] = cost.occupancy;
            out.latency[i][lane] = cost.latency;
        }
        for (size_t i = 0; i < launch.scalars.size(); ++i) out.scalar[i][lane] = scalar_cost(launch.scalars[i], p);
        out.flag[lane] = p.get(Constant::flag_cycles);
        out.barrier_pipe[lane] = p.get(Constant::barrier_pipe);
        out.barrier_reduction[lane] = p.get(Constant::barrier_reduction);
        out.barrier_all[lane] = p.get(Constant::barrier_all);
        for (size_t mode = 0; mode < out.cross.size(); ++mode) out.cross[mode][lane] = p.get(cross_cost(mode));
    }
    return out;
}

std::vector<Walk> walk(const Launch& launch, const LaneCosts& costs) {
    const std::vector<uint32_t> units = all_units(launch);
    Chip<kLanes> chip(launch, units, costs, nullptr);
    chip.run();
    std::vector<Walk> out(launch.tracks.size());
    for (size_t unit = 0; unit < units.size(); ++unit) {
        for (size_t member = 0; member < chip.units()[unit].size(); ++member) {
            const Walker<kLanes>& walker = *chip.units()[unit][member];
            Walk& to = out[launch.units[units[unit]].tracks[member]];
            for (const auto& segment : walker.segments) {
                Lanes lanes;
                std::copy(segment.v, segment.v + kLanes, lanes.begin());
                to.segments.push_back(lanes);
            }
            for (int p = 0; p < kPipes; ++p)
                std::copy(walker.busy(p).v, walker.busy(p).v + kLanes, to.busy[static_cast<size_t>(p)].begin());
        }
    }
    return out;
}

std::vector<LoadedWalk> walk_loaded(const Launch& launch, const std::vector<uint32_t>& units, const LaneCosts& costs,
                                    const Load& load, bool spans) {
    Chip<1> chip(launch, units, costs, &load);
    std::vector<LoadedWalk> out(launch.tracks.size());
    const auto each = [&](auto&& visit) {
        for (size_t unit = 0; unit < units.size(); ++unit) {
            for (size_t member = 0; member < chip.units()[unit].size(); ++member)
                visit(*chip.units()[unit][member], out[launch.units[units[unit]].tracks[member]]);
        }
    };
    each([&](Walker<1>& walker, LoadedWalk& to) { walker.spans = spans ? &to.spans : nullptr; });
    chip.run();
    each([](Walker<1>& walker, LoadedWalk& to) {
        for (const auto& segment : walker.segments) to.segments.push_back(segment.v[0]);
        for (int p = 0; p < kPipes; ++p) to.busy[static_cast<size_t>(p)] = walker.busy(p).v[0];
    });
    return out;
}

}  // namespace ascendopt::sim
