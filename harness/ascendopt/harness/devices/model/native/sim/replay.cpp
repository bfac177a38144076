// Time of a launch. Two steps, for each parameter set:
//
// 1. every core is replayed with unloaded costs (walk.cpp), which gives its own time between two SyncAlls;
// 2. the chip's shared resources (HBM with write-backs, the port of the L2 cache) are joined to it by a p-norm, which
//    stands for queueing of unsynchronised cores near saturation: T = (T_core^p + T_shared^p)^(1/p).
//
// The busy times of the pipes then come from a third step for the centre only: the fullest core is replayed under
// load, with loads stretched until its time is the one of step 2. docs/model-device.md has the law and its evidence.
#include "replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>

#include "costs.h"
#include "walk.h"

namespace ascendopt::sim {

namespace {

// One core group in one segment.
struct Share {
    double cycles = 0;  // its own time, unloaded
    double memory = 1;  // share of it that transfers take, where another pipe takes more; else 1
    Traffic traffic;
    double count = 1;
};

struct Chip {
    double hbm, l2, port;  // bytes per cycle
    double mix_loss, exponent, hidden_exponent, evicted_share;
};

Chip chip_of(const Params& p, const Traffic& total) {
    Chip c;
    double per_cycle = 1e9 / (p.get(Constant::clock_mhz) * 1e6);
    c.hbm = p.get(Constant::hbm_gbps) * per_cycle;
    c.l2 = p.get(Constant::l2_gbps) * per_cycle;
    c.port = p.get(Constant::port_gbps) * per_cycle;
    c.mix_loss = p.get(Constant::mix_loss);
    c.exponent = p.get(Constant::queue_exponent);
    c.hidden_exponent = p.get(Constant::hidden_exponent);
    // The cache keeps the last cacheful of the stream, so that share of the written lines is never evicted.
    double stream = total.read_filling + total.write;
    double capacity = p.get(Constant::l2_bytes);
    c.evicted_share = stream > capacity ? 1 - capacity / stream : 0;
    return c;
}

double shared_cycles(const Chip& chip, const Traffic& t) {
    double evicted = chip.evicted_share * t.write;
    double hbm_bytes = t.read_miss + evicted;
    double hbm = 0;
    if (hbm_bytes > 0) {
        double mixed = 4 * t.read_miss * evicted / (hbm_bytes * hbm_bytes);
        hbm = hbm_bytes / (chip.hbm * (1 - chip.mix_loss * mixed));
    }
    double port = (t.read_miss + t.write) / chip.port;
    double l2 = (t.read_miss + t.read_hit + t.write) / chip.l2;
    return std::max(hbm, std::max(port, l2));
}

double norm(double a, double b, double p) {
    double big = std::max(a, b), small = std::min(a, b);
    if (big <= 0) return 0;
    double ratio = small / big;
    return ratio < 1e-6 ? big : big * std::pow(1 + std::pow(ratio, p), 1 / p);
}

// A core that computes longer than it transfers hides most of what its transfers wait for.
double joined(const Chip& chip, double core, double memory, double shared) {
    if (memory >= 1) return norm(core, shared, chip.exponent);
    return norm(core, norm(core * memory, shared, chip.exponent), chip.hidden_exponent);
}

void accumulate(Traffic& sum, const Traffic& t, double factor) {
    sum.read_miss += factor * t.read_miss;
    sum.read_hit += factor * t.read_hit;
    sum.read_filling += factor * t.read_filling;
    sum.write += factor * t.write;
}

// Cores of different length: while all run they share with all, the longest ends alone. Each core spreads its
// traffic evenly over its own time.
double segment_cycles(const Chip& chip, std::vector<Share> shares) {
    // Stable: of cores that end together the first group's stands for them, however many groups there are.
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.cycles < b.cycles; });
    double total = 0, before = 0;
    for (size_t k = 0; k < shares.size(); ++k) {
        double step = shares[k].cycles - before;
        if (step <= 0) continue;
        Traffic moved;
        for (size_t i = k; i < shares.size(); ++i)
            accumulate(moved, shares[i].traffic, shares[i].count * step / shares[i].cycles);
        total += joined(chip, step, shares[k].memory, shared_cycles(chip, moved));
        before = shares[k].cycles;
    }
    return total;
}

// All walks of one launch under kLanes parameter sets.
struct Replayed {
    std::vector<Walk> walks;  // by track
    LaneCosts costs;
};

Replayed replay_lanes(const Launch& launch, const std::vector<const Params*>& lanes) {
    Replayed out;
    out.costs = lane_costs(launch, lanes);
    out.walks = walk(launch, out.costs);
    return out;
}

// An AI Core has one cube, whichever of its cores issues; of the other pipes each core has its own.
bool belongs_to_cube(size_t pipe) {
    const auto which = static_cast<Pipe>(pipe);
    return which == Pipe::M || which == Pipe::MTE1 || which == Pipe::FIX;
}

// Busy times of the cores that are walked together.
template <class Busy>
std::array<double, kPipes> busy_of(const Launch& launch, const Unit& unit, const Busy& busy) {
    std::array<double, kPipes> out{};
    double cube_loads = 0;
    for (uint32_t track : unit.tracks) {
        for (size_t p = 0; p < kPipes; ++p) {
            const double more = busy(track, p);
            if (launch.of(track).library && static_cast<Pipe>(p) == Pipe::MTE1) {
                cube_loads += more;
            } else {
                out[p] = belongs_to_cube(p) ? out[p] + more : std::max(out[p], more);
            }
        }
    }
    double& loads = out[static_cast<size_t>(Pipe::MTE2)];
    loads = std::max(loads, cube_loads);
    return out;
}

double memory_share(const Launch& launch, const Replayed& replayed, const CoreGroup& group, size_t lane) {
    double all = 0, transfers = 0, others = 0;
    std::array<double, kPipes> busy{};
    for (uint32_t track : group.tracks) {
        const Unit& unit = launch.units[launch.tracks[track].unit];
        double longest = 0;
        for (uint32_t member : unit.tracks) {
            double cycles = 0;
            for (const Lanes& piece : replayed.walks[member].segments) cycles += piece[lane];
            longest = std::max(longest, cycles);
        }
        all += longest;
        const auto more = busy_of(launch, unit, [&](uint32_t t, size_t p) { return replayed.walks[t].busy[p][lane]; });
        for (size_t p = 0; p < kPipes; ++p) busy[p] += more[p];
    }
    for (size_t p = 0; p < kPipes; ++p) {
        const auto pipe = static_cast<Pipe>(p);
        double& most = pipe == Pipe::MTE2 || pipe == Pipe::MTE3 || pipe == Pipe::FIX ? transfers : others;
        most = std::max(most, busy[p]);
    }
    return others > transfers && all > 0 ? std::min(1.0, transfers / all) : 1;
}

std::vector<Share> shares_of(const Launch& launch, const Replayed& replayed, const std::vector<double>& memory,
                             size_t segment, size_t lane) {
    std::vector<Share> shares;
    for (const CoreGroup& group : launch.groups) {
        Share share;
        share.count = group.count;
        share.memory = memory[shares.size()];
        for (uint32_t track : group.tracks) {
            share.cycles += replayed.walks[track].segments[segment][lane];
            accumulate(share.traffic, launch.of(track).segments[segment], 1);
        }
        shares.push_back(share);
    }
    return shares;
}

Traffic total_traffic(const Launch& launch) {
    Traffic total;
    for (const CoreGroup& group : launch.groups) {
        for (uint32_t track : group.tracks) {
            for (const Traffic& t : launch.of(track).segments) accumulate(total, t, group.count);
        }
    }
    return total;
}

double launch_us(const Launch& launch, const Params& p, double core_us) {
    double full = p.get(Constant::launch_base_us) + p.get(Constant::launch_core_us) * launch.active_cores;
    // Published small kernels start in about launch_small_us whatever their core count.
    double small = std::max(p.get(Constant::launch_small_us), p.get(Constant::launch_small_share) * core_us);
    return std::min(full, small) + (launch.mixed ? p.get(Constant::launch_mix_us) : 0);
}

// Cycles from the first to the last instruction on the chip, without launch.
double core_cycles(const Launch& launch, const Replayed& replayed, const Params& p, size_t lane, const Traffic& total) {
    Chip chip = chip_of(p, total);
    const Program& first = launch.of(launch.groups[0].tracks[0]);
    const size_t segments = first.segments.size();
    double cycles =
        first.syncs * p.get(Constant::sync_all) + p.get(Constant::kernel_start_us) * p.get(Constant::clock_mhz);
    std::vector<double> memory;
    for (const CoreGroup& group : launch.groups) memory.push_back(memory_share(launch, replayed, group, lane));
    for (size_t segment = 0; segment < segments; ++segment)
        cycles += segment_cycles(chip, shares_of(launch, replayed, memory, segment, lane));
    return cycles;
}

double latency_of(const Launch& launch, const Params& p, double cycles) {
    double us = cycles / p.get(Constant::clock_mhz);
    return us + launch_us(launch, p, us);
}

// The group whose cores run longest, by the centre's unloaded time.
const CoreGroup& fullest(const Launch& launch, const Replayed& replayed) {
    const CoreGroup* best = &launch.groups[0];
    double longest = -1;
    for (const CoreGroup& group : launch.groups) {
        double cycles = 0;
        for (uint32_t track : group.tracks) {
            for (const Lanes& segment : replayed.walks[track].segments) cycles += segment[0];
        }
        if (cycles > longest) {
            longest = cycles;
            best = &group;
        }
    }
    return *best;
}

// Under load: a physical core and those that it waits for.
struct Loaded {
    double cycles = 0;
    std::array<double, kPipes> busy{};
    Load load;
};

// What has to be walked for it.
std::vector<uint32_t> units_of(const Launch& launch, const CoreGroup& group) {
    std::vector<uint32_t> out;
    if (launch.wide) {
        for (uint32_t unit = 0; unit < launch.units.size(); ++unit) out.push_back(unit);
        return out;
    }
    for (uint32_t track : group.tracks) {
        const uint32_t unit = launch.tracks[track].unit;
        if (std::find(out.begin(), out.end(), unit) == out.end()) out.push_back(unit);
    }
    return out;
}

double cycles_of(const Unit& unit, const std::vector<LoadedWalk>& walks) {
    double out = 0;
    for (size_t i = 0; i < walks[unit.tracks[0]].segments.size(); ++i) {
        double longest = 0;
        for (uint32_t track : unit.tracks) longest = std::max(longest, walks[track].segments[i]);
        out += longest;
    }
    return out;
}

Loaded walk_group(const Launch& launch, const CoreGroup& group, const LaneCosts& costs, const Load& load) {
    Loaded sum;
    sum.load = load;
    const std::vector<LoadedWalk> walks = walk_loaded(launch, units_of(launch, group), costs, load);
    for (uint32_t track : group.tracks) {
        const Unit& unit = launch.units[launch.tracks[track].unit];
        sum.cycles += cycles_of(unit, walks);
        const auto busy = busy_of(launch, unit, [&](uint32_t t, size_t p) { return walks[t].busy[p]; });
        for (size_t p = 0; p < kPipes; ++p) sum.busy[p] += busy[p];
    }
    return sum;
}

// Finds the stretch of loads that makes the fullest core take `target` cycles. Bisection: the time grows with it.
Loaded stretch_to(const Launch& launch, const CoreGroup& group, const LaneCosts& costs, Load load, double target) {
    Loaded result = walk_group(launch, group, costs, load);
    if (result.cycles >= target) return result;
    double low = 1, high = 2;
    for (int i = 0; i < 12; ++i, high *= 2) {
        load.stretch = high;
        if (walk_group(launch, group, costs, load).cycles >= target) break;
        low = high;
    }
    for (int i = 0; i < 9; ++i) {
        load.stretch = 0.5 * (low + high);
        result = walk_group(launch, group, costs, load);
        if (std::fabs(result.cycles - target) < 0.002 * target) break;
        (result.cycles < target ? low : high) = load.stretch;
    }
    return result;
}

Loaded attribute(const Launch& launch, const Replayed& replayed, const Params& p, const Traffic& total, double target) {
    const CoreGroup& group = fullest(launch, replayed);
    Chip chip = chip_of(p, total);
    Traffic own;
    for (uint32_t track : group.tracks) {
        for (const Traffic& t : launch.of(track).segments) accumulate(own, t, 1);
    }
    Load load;
    Loaded unloaded = walk_group(launch, group, replayed.costs, load);
    if (target <= unloaded.cycles * 1.002) return unloaded;
    double port = chip.port / launch.active_cores;
    double floor = 0.2 * port;
    double core_store = p.get(Constant::store_bandwidth);
    bool saturated = shared_cycles(chip, total) > unloaded.cycles;
    if (saturated && own.read_filling > 0) {
        load.store_blocks_load = true;
        load.store_bandwidth = std::min(core_store, port);
        Loaded blocked = walk_group(launch, group, replayed.costs, load);
        // A core that alternates between loading and storing leaves a gap on MTE2; one that streams does not.
        Loaded fitted = stretch_to(launch, group, replayed.costs, load, target);
        bool alternates = fitted.busy[static_cast<size_t>(Pipe::MTE2)] < 0.9 * target;
        if (alternates && blocked.cycles <= target) return fitted;
        load.store_blocks_load = false;
    }
    load.store_bandwidth = std::clamp(port - own.read_miss / target, floor, core_store);
    return stretch_to(launch, group, replayed.costs, load, target);
}

void roofline(const Launch& launch, const Replayed& replayed, const Params& p, const Traffic& total, Prediction& out) {
    const Chip chip = chip_of(p, total);
    const double clock = p.get(Constant::clock_mhz);
    out.read_bytes = total.read_miss + total.read_hit;
    out.write_bytes = total.write;
    out.hbm_bytes = total.read_miss + chip.evicted_share * total.write;
    out.hbm_us = out.hbm_bytes / chip.hbm / clock;
    out.l2_us = (out.read_bytes + out.write_bytes) / chip.l2 / clock;
    for (uint32_t track : fullest(launch, replayed).tracks) {
        const Unit& unit = launch.units[launch.tracks[track].unit];
        const auto busy = busy_of(launch, unit, [&](uint32_t t, size_t p) { return replayed.walks[t].busy[p][0]; });
        for (size_t pipe = 0; pipe < kPipes; ++pipe) out.unloaded_us[pipe] += busy[pipe] / clock;
    }
}

double guessed_share(const Launch& launch, const Replayed& replayed, const ParameterFile& file, const Params& centre) {
    double guessed = 0, all = 0;
    std::vector<double> cost_guess(launch.costs.size()), scalar_guess(launch.scalars.size());
    for (size_t i = 0; i < launch.costs.size(); ++i) cost_guess[i] = guessed_cycles(launch.costs[i], file, centre);
    for (size_t i = 0; i < launch.scalars.size(); ++i)
        scalar_guess[i] = guessed_cycles(launch.scalars[i], file, centre);
    const auto add = [&](uint32_t track) {
        for (const Step& step : launch.of(track).steps) {
            guessed += scalar_guess[step.scalar];
            if (step.kind == TraceKind::Instr || step.kind == TraceKind::Transfer) guessed += cost_guess[step.cost];
        }
        for (const Lanes& busy : replayed.walks[track].busy) all += busy[0];
    };
    for (uint32_t track : fullest(launch, replayed).tracks) {
        for (uint32_t member : launch.units[launch.tracks[track].unit].tracks) add(member);
    }
    return all > 0 ? std::min(1.0, guessed / all) : 0;
}

}  // namespace

struct Model::Impl {
    ParameterFile file;
    Params centre;

    // Parameter sets are drawn once for a seed; a server asks for the same ones again and again.
    mutable std::mutex lock;
    mutable std::map<uint64_t, std::deque<Params>> drawn;

    // The centre and the sets that were asked for; they stay where they are.
    std::vector<const Params*> sets(int samples, uint64_t seed) const {
        std::lock_guard<std::mutex> guard(lock);
        std::deque<Params>& known = drawn[seed];
        while (static_cast<int>(known.size()) < samples)
            known.push_back(draw(file, static_cast<int64_t>(known.size()), seed));
        std::vector<const Params*> out{&centre};
        for (int i = 0; i < samples; ++i) out.push_back(&known[static_cast<size_t>(i)]);
        return out;
    }
};

Model::Model() : impl_(new Impl) {}
Model::~Model() { delete impl_; }
Model::Model(Model&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }

Model Model::load(const std::string& path) {
    Model model;
    model.impl_->file = ParameterFile::load(path);
    model.impl_->centre = draw(model.impl_->file, -1, 0);
    return model;
}

Forecast Model::forecast(const LaunchTrace& trace, int samples, uint64_t seed) const {
    if (samples < 0 || samples > 4096) throw std::runtime_error("samples must lie between 0 and 4096");
    Launch launch = prepare(trace, impl_->file);
    Traffic total = total_traffic(launch);
    const std::vector<const Params*> sets = impl_->sets(samples, seed);
    Forecast out;
    for (size_t first = 0; first < sets.size(); first += kLanes) {
        size_t count = std::min<size_t>(kLanes, sets.size() - first);
        const std::vector<const Params*> lanes(sets.begin() + static_cast<std::ptrdiff_t>(first),
                                               sets.begin() + static_cast<std::ptrdiff_t>(first + count));
        Replayed replayed = replay_lanes(launch, lanes);
        for (size_t lane = 0; lane < count; ++lane) {
            const Params& set = *lanes[lane];
            double cycles = core_cycles(launch, replayed, set, lane, total);
            double latency = latency_of(launch, set, cycles);
            if (first + lane > 0) {
                out.samples_us.push_back(latency);
                out.launch_samples_us.push_back(latency - cycles / set.get(Constant::clock_mhz));
                continue;
            }
            out.centre.latency_us = latency;
            out.centre.launch_us = latency - cycles / set.get(Constant::clock_mhz);
            roofline(launch, replayed, impl_->centre, total, out.centre);
            const Loaded loaded = attribute(launch, replayed, impl_->centre, total, cycles);
            double clock = impl_->centre.get(Constant::clock_mhz);
            for (int p = 0; p < kPipes; ++p) {
                out.centre.pipe_us[p] = loaded.busy[static_cast<size_t>(p)] / clock;
                if (out.centre.pipe_us[p] > out.centre.pipe_us[static_cast<int>(out.centre.bound)])
                    out.centre.bound = static_cast<Pipe>(p);
            }
            out.centre.guessed_share = guessed_share(launch, replayed, impl_->file, impl_->centre);
        }
    }
    return out;
}

std::vector<TimelineSpan> Model::timeline(const LaunchTrace& trace, size_t limit, size_t& total) const {
    const Launch launch = prepare(trace, impl_->file);
    const Traffic traffic = total_traffic(launch);
    const Replayed replayed = replay_lanes(launch, {&impl_->centre});
    const double cycles = core_cycles(launch, replayed, impl_->centre, 0, traffic);
    const Load load = attribute(launch, replayed, impl_->centre, traffic, cycles).load;
    const double clock = impl_->centre.get(Constant::clock_mhz);
    const CoreGroup& group = fullest(launch, replayed);
    const std::vector<LoadedWalk> walks = walk_loaded(launch, units_of(launch, group), replayed.costs, load, true);
    std::vector<TimelineSpan> out;
    double before = 0;
    total = 0;
    for (uint32_t own : group.tracks) {
        const Unit& unit = launch.units[launch.tracks[own].unit];
        for (uint32_t track : unit.tracks) {
            const Track& core = launch.tracks[track];
            const bool named = unit.tracks.size() > 1;
            total += walks[track].spans.size();
            for (const Span& span : walks[track].spans) {
                if (out.size() == limit) break;
                out.push_back({span.pipe, span.waits, (before + span.start) / clock, (span.end - span.start) / clock,
                               &trace.unique[core.program].records[span.step], named && core.cube,
                               named && !core.cube ? core.sub : -1});
            }
        }
        before += cycles_of(unit, walks);
    }
    return out;
}

Prediction Model::replay(const LaunchTrace& trace) const { return forecast(trace, 0, 0).centre; }

std::vector<double> Model::ensemble(const LaunchTrace& trace, int samples, uint64_t seed) const {
    return forecast(trace, samples, seed).samples_us;
}

}  // namespace ascendopt::sim
