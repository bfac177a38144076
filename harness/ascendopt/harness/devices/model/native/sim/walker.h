// One core under one parameter set, or under several side by side. Internal to sim/.
#pragma once
#include <algorithm>
#include <string>
#include <type_traits>

#include "costs.h"
#include "crossing.h"
#include "walk.h"

namespace ascendopt::sim {

// What a walk computes with: all lanes, or the first alone.
inline double first(const Lanes& lanes) { return lanes[0]; }
inline double first(double lane) { return lane; }
inline const Lanes& part(const Lanes& lanes, const Lanes*) { return lanes; }
inline double part(const Lanes& lanes, const double*) { return lanes[0]; }

// The program order of a legal trace has each set before its wait, so one walk in that order gives the same times as
// an event queue: every time is a maximum of times that are already known. A core that waits for others stops until
// they have come so far.
template <class Vec>
class Walker {
  public:
    enum class State : uint8_t { Goes, Waits, WantsCube, Done };

    Walker(const Launch& launch, uint32_t track, const LaneCosts& costs, const Load* load, Crossing<Vec>* crossing,
           SharedCube<Vec>* cube)
        : launch_(launch),
          track_(track),
          program_(launch.programs[launch.tracks[track].program]),
          costs_(costs),
          load_(load),
          crossing_(crossing),
          cube_(cube),
          slots_(program_.slots) {
        reset();
        for (Vec& pipe : busy_) pipe = Vec{};
    }

    State state() const { return state_; }
    // When it asked for the cube: SyncAlls passed, then cycles of the first set.
    std::pair<uint32_t, double> asked() const {
        return {section_, first(next_[0]) + costs_.scalar[program_.steps[index_].scalar][0]};
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
            const Vec& scalar = cost(costs_.scalar[step.scalar]);
            at(Pipe::S) += scalar;
            busy_[0] += scalar;
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
    Crossing<Vec>* crossing_;
    SharedCube<Vec>* cube_;  // where cores of the AI Core share one
    std::vector<Vec> slots_;
    State state_ = State::Goes;
    size_t index_ = 0, piece_ = 0;
    uint32_t section_ = 0;  // SyncAlls passed
    bool has_cube_ = false;
    Vec mark_{};  // end of the piece before
    bool synced_ = false;
    double passed_ = 0;  // cycles up to the last SyncAll
    Vec next_[kPipes];   // when the pipe can take the next instruction
    Vec done_[kPipes];   // when its last result is there
    std::array<Vec, kPipes> busy_;

    static decltype(auto) cost(const Lanes& lanes) { return part(lanes, static_cast<const Vec*>(nullptr)); }
    Vec& at(Pipe pipe) { return next_[static_cast<int>(pipe)]; }
    const CrossPoint& point(const Step& step) const { return launch_.points[step.cost]; }

    void note(Pipe pipe, bool waits, const Vec& from, const Vec& to) {
        if (!spans) return;
        const double start = first(from), end = first(to);
        if (end > start) spans->push_back({static_cast<uint32_t>(index_), pipe, waits, passed_ + start, passed_ + end});
    }

    void reset() {
        for (int p = 0; p < kPipes; ++p) next_[p] = done_[p] = Vec{};
        for (Vec& slot : slots_) slot = Vec{};
    }

    // One request of the Matmul library is a row of steps on the cube core's pipes. False if it has to queue for it.
    bool turn(const Step& step) {
        const bool works = step.kind == TraceKind::Instr || step.kind == TraceKind::Transfer;
        const bool wants = works && SharedCube<Vec>::has(step.pipe);
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
                note(step.dst, true, pipe, slot);
                raise(pipe, slot);
                break;
            }
            case TraceKind::Barrier: {
                if (step.pipe == Pipe::S) break;
                Vec& next = at(step.pipe);
                raise(next, done_[static_cast<int>(step.pipe)]);
                if (step.pipe == Pipe::V) next += cost(step.cost ? costs_.barrier_reduction : costs_.barrier_pipe);
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
                const Moment<Vec> heard = crossing_->hear(track_, point(step));
                if (heard.section < section_) break;
                Vec& scalar = at(Pipe::S);
                note(Pipe::S, true, scalar, heard.at);
                raise(scalar, heard.at);
                break;
            }
        }
    }

    void say(const Step& step) {
        Moment<Vec> when;
        when.section = section_;
        finished(step.pipe, when.at);
        when.at += cost(costs_.cross[static_cast<size_t>(point(step).mode)]);
        crossing_->say(track_, point(step), when);
    }

    void set(const Step& step) {
        Vec& slot = slots_[step.cost];
        finished(step.pipe, slot);
        slot += cost(costs_.flag);
    }

    // When the pipe has done all that was issued to it.
    void finished(Pipe pipe, Vec& when) {
        when = at(Pipe::S);
        raise(when, at(pipe));
        raise(when, done_[static_cast<int>(pipe)]);
    }

    void execute(const Step& step) {
        Vec& next = at(step.pipe);
        Vec& done = done_[static_cast<int>(step.pipe)];
        Vec occupancy = cost(costs_.occupancy[step.cost]);
        const Vec& latency = cost(costs_.latency[step.cost]);
        Vec start = at(Pipe::S);
        raise(start, next);
        const bool shared = cube_ && SharedCube<Vec>::has(step.pipe);
        if (shared) wait_for_pipe(step.pipe, start);
        if constexpr (std::is_same_v<Vec, double>) {
            if (load_) raise(start, under_load(launch_.costs[step.cost], occupancy, latency, done));
        }
        // From where the instruction before it ended: what it adds to the pipe's busy time.
        Vec from = start;
        raise(from, done);
        next = start + occupancy;
        raise(done, next + latency);
        note(step.pipe, false, from, done);
        busy_[static_cast<size_t>(step.pipe)] += done - from;
        // Only transfers pipeline; the other units deliver when they are free again.
        if (step.kind == TraceKind::Instr) next = done;
        if (shared) cube_->take(step.pipe, next);
    }

    void wait_for_pipe(Pipe pipe, Vec& start) {
        const Vec& free = cube_->free_at(pipe, section_);
        note(pipe, true, start, free);
        raise(start, free);
    }

    // Changes the occupancy; returns the earliest start that the load allows.
    double under_load(const CostClass& c, double& occupancy, double latency, double previous_done) const {
        if (c.kind == CostClass::Kind::Store) {
            // The port's share bounds the whole store, latency included.
            if (load_->store_bandwidth > 0) {
                double shared = static_cast<double>(c.bytes()) / load_->store_bandwidth - latency;
                occupancy = std::max(occupancy, shared);
            }
            return 0;
        }
        if ((c.kind != CostClass::Kind::Load && c.kind != CostClass::Kind::LoadL1) || c.hit) return 0;
        occupancy *= load_->stretch;
        const double store_done = first(done_[static_cast<int>(Pipe::MTE3)]);
        const double next = first(next_[static_cast<int>(c.pipe)]);
        // A stream of loads goes on; one that begins after a gap waits behind the core's own store.
        bool begins = std::max(next, first(next_[0])) >= previous_done;
        return load_->store_blocks_load && begins ? store_done : 0;
    }

    void join() {
        Vec latest;
        meet(latest);
        latest += cost(costs_.barrier_all);
        for (int p = 0; p < kPipes; ++p) next_[p] = latest;
    }

    void meet(Vec& latest) const {
        latest = Vec{};
        for (int p = 0; p < kPipes; ++p) {
            raise(latest, next_[p]);
            raise(latest, done_[p]);
        }
    }

    void end_piece() {
        Vec latest;
        meet(latest);
        segments.push_back(latest - mark_);
        mark_ = latest;
        if (!synced_) return;
        synced_ = false;
        ++section_;
        passed_ += first(latest);
        reset();
        mark_ = Vec{};
    }
};

}  // namespace ascendopt::sim
