#include "walk.h"

#include <algorithm>

#include "costs.h"

namespace ascendopt::sim {

namespace {

// W parameter sets side by side. The program order of a legal trace has each set before its wait, so one walk in
// that order gives the same times as an event queue: every time is a maximum of times that are already known.
template <int W>
class Walker {
  public:
    struct Vec {
        double v[W];
    };

    Walker(const Launch& launch, const Program& program, const LaneCosts& costs, const Load* load)
        : launch_(launch), program_(program), costs_(costs), load_(load), slots_(program.slots) {
        reset();
        for (auto& pipe : busy_) fill(pipe, 0);
    }

    void run() {
        fill(mark_, 0);
        size_t piece = 0;
        for (size_t index = 0; index < program_.steps.size(); ++index) {
            for (; piece + 1 < program_.ends.size() && program_.ends[piece] <= index; ++piece) end_piece();
            const Step& step = program_.steps[index];
            current_ = static_cast<uint32_t>(index);
            const Lanes& scalar = costs_.scalar[step.scalar];
            for (int i = 0; i < W; ++i) {
                at(Pipe::S).v[i] += scalar[i];
                busy_[0].v[i] += scalar[i];
            }
            apply(step);
        }
        for (; piece < program_.ends.size(); ++piece) end_piece();
    }

    std::vector<Vec> segments;
    std::vector<Span>* spans = nullptr;  // of lane 0
    const Vec& busy(int pipe) const { return busy_[static_cast<size_t>(pipe)]; }

  private:
    const Launch& launch_;
    const Program& program_;
    const LaneCosts& costs_;
    const Load* load_;
    std::vector<Vec> slots_;
    Vec mark_;  // end of the piece before
    bool synced_ = false;
    uint32_t current_ = 0;  // step
    double passed_ = 0;     // cycles up to the last SyncAll

    void note(Pipe pipe, bool waits, double start, double end) {
        if (spans && end > start) spans->push_back({current_, pipe, waits, passed_ + start, passed_ + end});
    }
    Vec next_[kPipes];  // when the pipe can take the next instruction
    Vec done_[kPipes];  // when its last result is there
    std::array<Vec, kPipes> busy_;

    static void fill(Vec& vec, double value) { std::fill(vec.v, vec.v + W, value); }
    Vec& at(Pipe pipe) { return next_[static_cast<int>(pipe)]; }

    void reset() {
        for (int p = 0; p < kPipes; ++p) {
            fill(next_[p], 0);
            fill(done_[p], 0);
        }
        for (Vec& slot : slots_) fill(slot, 0);
    }

    void apply(const Step& step) {
        switch (step.kind) {
            case TraceKind::Instr:
            case TraceKind::Transfer:
                execute(step);
                break;
            case TraceKind::SetFlag:
                set(step);
                break;
            case TraceKind::WaitFlag: {
                Vec& pipe = at(step.dst);
                const Vec& slot = slots_[step.cost];
                note(step.dst, true, pipe.v[0], slot.v[0]);
                for (int i = 0; i < W; ++i) pipe.v[i] = std::max(pipe.v[i], slot.v[i]);
                break;
            }
            case TraceKind::Barrier: {
                if (step.pipe == Pipe::S) break;
                Vec& next = at(step.pipe);
                const Vec& done = done_[static_cast<int>(step.pipe)];
                for (int i = 0; i < W; ++i) next.v[i] = std::max(next.v[i], done.v[i]);
                if (step.pipe == Pipe::V) {
                    const Lanes& drain = step.cost ? costs_.barrier_reduction : costs_.barrier_pipe;
                    for (int i = 0; i < W; ++i) next.v[i] += drain[static_cast<size_t>(i)];
                }
                break;
            }
            case TraceKind::BarrierAll:
                join();
                break;
            case TraceKind::SyncAll:
                synced_ = true;  // the piece ends here, and with it this count of time
                break;
            case TraceKind::Scalar:
                break;
        }
    }

    void set(const Step& step) {
        const Vec& scalar = at(Pipe::S);
        const Vec& next = at(step.pipe);
        const Vec& done = done_[static_cast<int>(step.pipe)];
        Vec& slot = slots_[step.cost];
        for (int i = 0; i < W; ++i) slot.v[i] = std::max(std::max(scalar.v[i], next.v[i]), done.v[i]) + costs_.flag[i];
    }

    void execute(const Step& step) {
        const Vec& scalar = at(Pipe::S);
        Vec& next = at(step.pipe);
        Vec& done = done_[static_cast<int>(step.pipe)];
        Vec& busy = busy_[static_cast<size_t>(step.pipe)];
        Lanes occupancy = costs_.occupancy[step.cost];
        const Lanes& latency = costs_.latency[step.cost];
        double held = load_ ? under_load(launch_.costs[step.cost], occupancy, latency[0], done.v[0]) : 0;
        for (int i = 0; i < W; ++i) {
            double start = std::max(std::max(scalar.v[i], next.v[i]), held);
            double end =
                std::max(done.v[i], start + occupancy[static_cast<size_t>(i)] + latency[static_cast<size_t>(i)]);
            next.v[i] = start + occupancy[static_cast<size_t>(i)];
            // From where the instruction before it ended: what it adds to the pipe's busy time.
            if (i == 0) note(step.pipe, false, std::max(start, done.v[0]), end);
            busy.v[i] += end - std::max(start, done.v[i]);
            done.v[i] = end;
        }
        // Only transfers pipeline; the other units deliver when they are free again.
        if (step.kind == TraceKind::Instr) next = done;
    }

    // Changes lane 0's occupancy; returns the earliest start that the load allows.
    double under_load(const CostClass& c, Lanes& occupancy, double latency, double previous_done) const {
        if (c.kind == CostClass::Kind::Store) {
            // The port's share bounds the whole store, latency included.
            if (load_->store_bandwidth > 0) {
                double shared = static_cast<double>(c.bytes()) / load_->store_bandwidth - latency;
                occupancy[0] = std::max(occupancy[0], shared);
            }
            return 0;
        }
        if ((c.kind != CostClass::Kind::Load && c.kind != CostClass::Kind::LoadL1) || c.hit) return 0;
        occupancy[0] *= load_->stretch;
        const double store_done = done_[static_cast<int>(Pipe::MTE3)].v[0];
        const double next = next_[static_cast<int>(c.pipe)].v[0];
        // A stream of loads goes on; one that begins after a gap waits behind the core's own store.
        bool begins = std::max(next, next_[0].v[0]) >= previous_done;
        return load_->store_blocks_load && begins ? store_done : 0;
    }

    void join() {
        Vec latest;
        meet(latest);
        for (int i = 0; i < W; ++i) latest.v[i] += costs_.barrier_all[static_cast<size_t>(i)];
        for (int p = 0; p < kPipes; ++p) next_[p] = latest;
    }

    void meet(Vec& latest) const {
        fill(latest, 0);
        for (int p = 0; p < kPipes; ++p) {
            for (int i = 0; i < W; ++i) {
                latest.v[i] = std::max(latest.v[i], next_[p].v[i]);
                latest.v[i] = std::max(latest.v[i], done_[p].v[i]);
            }
        }
    }

    void end_piece() {
        Vec latest;
        meet(latest);
        segments.push_back(latest);
        for (int i = 0; i < W; ++i) segments.back().v[i] -= mark_.v[i];
        mark_ = latest;
        if (!synced_) return;
        synced_ = false;
        passed_ += latest.v[0];
        reset();
        fill(mark_, 0);
    }
};

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
    }
    return out;
}

Walk walk(const Launch& launch, const Program& program, const LaneCosts& costs) {
    Walker<kLanes> walker(launch, program, costs, nullptr);
    walker.run();
    Walk out;
    for (const auto& segment : walker.segments) {
        Lanes lanes;
        std::copy(segment.v, segment.v + kLanes, lanes.begin());
        out.segments.push_back(lanes);
    }
    for (int p = 0; p < kPipes; ++p)
        std::copy(walker.busy(p).v, walker.busy(p).v + kLanes, out.busy[static_cast<size_t>(p)].begin());
    return out;
}

LoadedWalk walk_loaded(const Launch& launch, const Program& program, const LaneCosts& costs, const Load& load,
                       std::vector<Span>* spans) {
    Walker<1> walker(launch, program, costs, &load);
    walker.spans = spans;
    walker.run();
    LoadedWalk out;
    out.load = load;
    for (const auto& segment : walker.segments) out.cycles += segment.v[0];
    for (int p = 0; p < kPipes; ++p) out.busy[static_cast<size_t>(p)] = walker.busy(p).v[0];
    return out;
}

}  // namespace ascendopt::sim
