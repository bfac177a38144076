// What cores tell each other while they are walked together, and the cube core that vector cores of one AI Core share.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "walk.h"

namespace ascendopt::sim {

// When something is known: cycles since the SyncAll that `section` counts, by parameter set (a number, or Lanes).
template <class Vec>
struct Moment {
    Vec at{};
    uint32_t section = 0;

    void join(const Moment& other) {
        if (other.section < section) return;
        if (other.section > section) {
            *this = other;
            return;
        }
        raise(at, other.at);
    }
};

// Flags between cores. Each wait takes one signal; a signal goes out when all that tell together have said it.
template <class Vec>
class Crossing {
  public:
    explicit Crossing(const Launch& launch) : launch_(launch), heard_(launch.tracks.size()) {}

    void say(uint32_t track, const CrossPoint& point, const Moment<Vec>& when) {
        const Track& from = launch_.tracks[track];
        if (point.mode == CrossMode::Signal) {
            signals_[point.signal].push_back(when);
            return;
        }
        const bool wide = point.mode == CrossMode::All;
        Gathering& at = gatherings_[Key{point.mode, from.cube, wide ? 0 : from.unit + 1, point.flag, point.cores}];
        if (at.hearers.empty()) open(track, point, at);
        at.said[track].push_back(when);
        for (uint32_t member : at.members) {
            if (at.said[member].empty()) return;
        }
        Moment<Vec> all;
        for (uint32_t member : at.members) {
            all.join(at.said[member].front());
            at.said[member].pop_front();
        }
        for (uint32_t hearer : at.hearers) heard_[hearer][point.flag].push_back(all);
    }

    bool can_hear(uint32_t track, const CrossPoint& point) { return !pending(track, point).empty(); }

    Moment<Vec> hear(uint32_t track, const CrossPoint& point) {
        auto& queue = pending(track, point);
        Moment<Vec> out = queue.front();
        queue.pop_front();
        return out;
    }

  private:
    using Key = std::tuple<CrossMode, bool, uint32_t, uint8_t, uint32_t>;
    struct Gathering {
        std::vector<uint32_t> members, hearers;
        std::map<uint32_t, std::deque<Moment<Vec>>> said;
    };

    const Launch& launch_;
    std::map<Key, Gathering> gatherings_;
    std::vector<std::map<uint8_t, std::deque<Moment<Vec>>>> heard_;
    std::map<uint64_t, std::deque<Moment<Vec>>> signals_;

    std::deque<Moment<Vec>>& pending(uint32_t track, const CrossPoint& point) {
        return point.mode == CrossMode::Signal ? signals_[point.signal] : heard_[track][point.flag];
    }

    void open(uint32_t track, const CrossPoint& point, Gathering& at) const {
        const Track& from = launch_.tracks[track];
        for (uint32_t each = 0; each < launch_.tracks.size(); ++each) {
            const Track& other = launch_.tracks[each];
            const bool near = other.unit == from.unit;
            const bool same = other.cube == from.cube;
            // Of all cores of a kind only those take part that set the flag at all.
            if (point.mode == CrossMode::All ? same && sets(other, point) : same && near) at.members.push_back(each);
            if (point.mode == CrossMode::Group && near && !same) at.hearers.push_back(each);
        }
        if (point.mode != CrossMode::Group) at.hearers = at.members;
        if (at.hearers.empty()) at.hearers.push_back(track);
    }

    bool sets(const Track& track, const CrossPoint& point) const {
        const auto& points = launch_.programs[track.program].sets;
        return std::find(points.begin(), points.end(), point) != points.end();
    }
};

// The pipes of the cube core that the Matmul library uses for the vector cores of an AI Core: its requests run one
// after another, in the order in which they are issued.
template <class Vec>
class SharedCube {
  public:
    static bool has(Pipe pipe) { return pipe == Pipe::M || pipe == Pipe::MTE1 || pipe == Pipe::FIX; }

    // When the pipe is free for a core in that section.
    const Vec& free_at(Pipe pipe, uint32_t section) {
        Moment<Vec>& free = free_[static_cast<size_t>(pipe)];
        if (free.section < section) free = Moment<Vec>{{}, section};
        return free.at;
    }
    void take(Pipe pipe, const Vec& until) { free_[static_cast<size_t>(pipe)].at = until; }

  private:
    Moment<Vec> free_[kPipes];
};

}  // namespace ascendopt::sim
