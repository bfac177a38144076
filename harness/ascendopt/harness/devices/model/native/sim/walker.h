// One core under W parameter sets side by side. Internal to sim/.
#pragma once
#include <algorithm>
#include <string>

#include "costs.h"
#include "crossing.h"
#include "walk.h"

namespace ascendopt::sim {

// The program order of a legal trace has each set before its wait, so one walk in that order gives the same times as
// an event queue: every time is a maximum of times that are already known. A core that waits for others stops until
// they have come so far.
template <int W>
class Walker {
  public:
    struct Vec {
        double v[W];
    };
    enum class State : uint8_t { Goes, Waits, WantsCube, Done };

    Walker(const Launch& launch, uint32_t track, const LaneCosts& costs, const Load* load, Crossing<W>* crossing,
           SharedCube<W>* cube)
        : launch_(launch),
          track_(track),
          program_(launch.programs[launch.tracks[track].program]),
          costs_(costs),
          load_(load),
          crossing_(crossing),
          cube_(cube),
          slots_(program_.slots) {
        reset();
        fill(mark_, 0);
        for (auto& pipe : busy_) fill(pipe, 0);
    }

    State state() const { return state_; }
    // When it asked for the cube: SyncAlls passed, then cycles of the first set.
    std::pair<uint32_t, double> asked() const {
        return {section_, next_[0].v[0] + costs_.scalar[program_.steps[index_].scalar][0]};
    }
    bool can_go() const {
        return state_ == State::Goes ||
               (state_ == State::Waits && crossing_->can_hear(track_, point(program_.steps[index_])));
    }
    // What it waits for, for messages.
    std::string awaited() const {
        const CrossPoint& at = point(program_.steps[index_]);
        return at.mode == CrossMode::Signal ? "a signal of another core" : "cross-core flag " + std::to_string(at.flag);
    }
    void grant_cube() {
        has_cube_ = true;
        state_ = State::Goes;
    }

    // Goes on until it waits or ends.
    void advance() {
        state_ = State::Goes;
        for (; index_ < program_.steps.size(); ++index_) {
            for (; piece_ + 1 < program_.ends.size() && program_.ends[piece_] <= index_; ++piece_) end_piece();
            const Step& step = program_.steps[index_];
            if (step.kind == TraceKind::CrossWait && !crossing_->can_hear(track_, point(step))) {
                has_cube_ = false;
                state_ = State::Waits;
                return;
            }
            if (cube_ && !turn(step)) return;
            const Lanes& scalar = costs_.scalar[step.scalar];
            for (int i = 0; i < W; ++i) {
                at(Pipe::S).v[i] += scalar[i];
                busy_[0].v[i] += scalar[i];
            }
            apply(step);
        }
        for (; piece_ < program_.ends.size(); ++piece_) end_piece();
        state_ = State::Done;
    }

    std::vector<Vec> segments;
    std::vector<Span>* spans = nullptr;  // of lane 0
    const Vec& busy(int pipe) const { return busy_[static_cast<size_t>(pipe)]; }

  private:
    const Launch& launch_;
    const uint32_t track_;
    const Program& program_;
    const LaneCosts& costs_;
    const Load* load_;
    Crossing<W>* crossing_;
    SharedCube<W>* cube_;  // where cores of the AI Core share one
    std::vector<Vec> slots_;
    State state_ = State::Goes;
    size_t index_ = 0, piece_ = 0;
    uint32_t section_ = 0;  // SyncAlls passed
    bool has_cube_ = false;
    Vec mark_;  // end of the piece before
    bool synced_ = false;
    double passed_ = 0;  // cycles up to the last SyncAll
    Vec next_[kPipes];   // when the pipe can take the next instruction
    Vec done_[kPipes];   // when its last result is there
    std::array<Vec, kPipes> busy_;

    static void fill(Vec& vec, double value) { std::fill(vec.v, vec.v + W, value); }
    Vec& at(Pipe pipe) { return next_[static_cast<int>(pipe)]; }
    const CrossPoint& point(const Step& step) const { return launch_.points[step.cost]; }

    void note(Pipe pipe, bool waits, double start, double end) {
        if (spans && end > start)
            spans->push_back({static_cast<uint32_t>(index_), pipe, waits, passed_ + start, passed_ + end});
    }

    void reset() {
        for (int p = 0; p < kPipes; ++p) {
            fill(next_[p], 0);
            fill(done_[p], 0);
        }
        for (Vec& slot : slots_) fill(slot, 0);
    }

    // One request of the Matmul library is a row of steps on the cube core's pipes. False if it has to queue for it.
    bool turn(const Step& step) {
        const bool works = step.kind == TraceKind::Instr || step.kind == TraceKind::Transfer;
        const bool wants = works && SharedCube<W>::has(step.pipe);
        if (wants && !has_cube_) {
            state_ = State::WantsCube;
            return false;
        }
        const bool ends = works || step.kind == TraceKind::BarrierAll || step.kind == TraceKind::SyncAll ||
                          step.kind == TraceKind::CrossSet || (step.kind == TraceKind::WaitFlag && step.dst == Pipe::S);
        if (!wants && ends) has_cube_ = false;
        return true;
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
            case TraceKind::CrossSet:
                say(step);
                break;
            case TraceKind::CrossWait: {
                const Moment<W> heard = crossing_->hear(track_, point(step));
                if (heard.section < section_) break;
                Vec& scalar = at(Pipe::S);
                note(Pipe::S, true, scalar.v[0], heard.v[0]);
                for (int i = 0; i < W; ++i) scalar.v[i] = std::max(scalar.v[i], heard.v[i]);
                break;
            }
        }
    }

    void say(const Step& step) {
        Moment<W> when;
        when.section = section_;
        const Lanes& cost = costs_.cross[static_cast<size_t>(point(step).mode)];
        const Vec& next = at(step.pipe);
        const Vec& done = done_[static_cast<int>(step.pipe)];
        for (int i = 0; i < W; ++i)
            when.v[i] = std::max(std::max(at(Pipe::S).v[i], next.v[i]), done.v[i]) + cost[static_cast<size_t>(i)];
        crossing_->say(track_, point(step), when);
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
        const bool shared = cube_ && SharedCube<W>::has(step.pipe);
        if (shared) wait_for_pipe(step.pipe, std::max(scalar.v[0], next.v[0]), next);
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
        if (shared) cube_->take(step.pipe, next.v);
    }

    void wait_for_pipe(Pipe pipe, double ready, Vec& next) {
        const double* free = cube_->free_at(pipe, section_);
        note(pipe, true, ready, free[0]);
        for (int i = 0; i < W; ++i) next.v[i] = std::max(next.v[i], free[i]);
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
        ++section_;
        passed_ += latest.v[0];
        reset();
        fill(mark_, 0);
    }
};

}  // namespace ascendopt::sim
