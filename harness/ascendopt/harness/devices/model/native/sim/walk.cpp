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
template <class Vec>
class Chip {
  public:
    using Core = Walker<Vec>;

    Chip(const Launch& launch, const std::vector<uint32_t>& units, const LaneCosts& costs, const Load* load)
        : launch_(launch), crossing_(launch) {
        for (uint32_t unit : units) {
            std::vector<std::unique_ptr<Core>> cores;
            SharedCube<Vec>* cube = nullptr;
            if (launch.units[unit].shares_cube) {
                cubes_.push_back(std::make_unique<SharedCube<Vec>>());
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
    Crossing<Vec> crossing_;
    std::vector<std::unique_ptr<SharedCube<Vec>>> cubes_;
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

void put(Lanes& to, const Lanes& from) { to = from; }
void put(Lanes& to, double from) { to[0] = from; }

template <class Vec>
std::vector<Walk> walk_as(const Launch& launch, const LaneCosts& costs) {
    const std::vector<uint32_t> units = all_units(launch);
    Chip<Vec> chip(launch, units, costs, nullptr);
    chip.run();
    std::vector<Walk> out(launch.tracks.size());
    for (size_t unit = 0; unit < units.size(); ++unit) {
        for (size_t member = 0; member < chip.units()[unit].size(); ++member) {
            const Walker<Vec>& walker = *chip.units()[unit][member];
            Walk& to = out[launch.units[units[unit]].tracks[member]];
            to.segments.resize(walker.segments.size());
            for (size_t i = 0; i < walker.segments.size(); ++i) put(to.segments[i], walker.segments[i]);
            for (int p = 0; p < kPipes; ++p) put(to.busy[static_cast<size_t>(p)], walker.busy(p));
        }
    }
    return out;
}

// The same sums and maxima, bit by bit, in half the instructions.
#if defined(__x86_64__) && defined(__GNUC__)
#define ASCENDOPT_WIDE
__attribute__((target("avx2"), flatten)) std::vector<Walk> walk_wide(const Launch& launch, const LaneCosts& costs) {
    return walk_as<Lanes>(launch, costs);
}
#endif

}  // namespace

LaneCosts lane_costs(const Launch& launch, const std::vector<const Params*>& lanes) {
    LaneCosts out;
    out.used = static_cast<int>(lanes.size());
    out.occupancy.resize(launch.costs.size());
    out.latency.resize(launch.costs.size());
    out.scalar.resize(launch.scalars.size());
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        const Params& p = *lanes[lane];
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
    if (costs.used == 1) return walk_as<double>(launch, costs);
#ifdef ASCENDOPT_WIDE
    static const bool wide = __builtin_cpu_supports("avx2");
    if (wide) return walk_wide(launch, costs);
#endif
    return walk_as<Lanes>(launch, costs);
}

std::vector<LoadedWalk> walk_loaded(const Launch& launch, const std::vector<uint32_t>& units, const LaneCosts& costs,
                                    const Load& load, bool spans) {
    Chip<double> chip(launch, units, costs, &load);
    std::vector<LoadedWalk> out(launch.tracks.size());
    const auto each = [&](auto&& visit) {
        for (size_t unit = 0; unit < units.size(); ++unit) {
            for (size_t member = 0; member < chip.units()[unit].size(); ++member)
                visit(*chip.units()[unit][member], out[launch.units[units[unit]].tracks[member]]);
        }
    };
    each([&](Walker<double>& walker, LoadedWalk& to) { walker.spans = spans ? &to.spans : nullptr; });
    chip.run();
    each([](Walker<double>& walker, LoadedWalk& to) {
        to.segments = walker.segments;
        for (int p = 0; p < kPipes; ++p) to.busy[static_cast<size_t>(p)] = walker.busy(p);
    });
    return out;
}

}  // namespace ascendopt::sim
