#include "units.h"

#include <algorithm>
#include <map>

namespace ascendopt::sim {

namespace {

// What a trace has that ties its core to others.
struct Ties {
    bool near = false;     // flags within the AI Core
    bool far = false;      // flags of all cores
    bool signals = false;  // between any two cores: no two AI Cores are then alike
    bool library = false;  // a vector core on the cube core's pipes
};

Ties ties_of(const CoreTrace& core) {
    Ties out;
    for (const TraceRecord& r : core.records) {
        const auto mode = static_cast<CrossMode>(r.op);
        if (r.kind == TraceKind::CrossSet) {
            (mode == CrossMode::All ? out.far : mode == CrossMode::Signal ? out.signals : out.near) = true;
        }
        const bool works = r.kind == TraceKind::Instr || r.kind == TraceKind::Transfer;
        out.library = out.library || (works && (r.pipe == Pipe::M || r.pipe == Pipe::MTE1 || r.pipe == Pipe::FIX));
    }
    return out;
}

class Placer {
  public:
    Placer(const LaunchTrace& trace, uint32_t cores, Launch& launch) : trace_(trace), cores_(cores), launch_(launch) {
        for (const CoreTrace& each : trace.unique) {
            ties_.push_back(ties_of(each));
            all_.near = all_.near || ties_.back().near;
            all_.far = all_.far || ties_.back().far;
            all_.signals = all_.signals || ties_.back().signals;
        }
        const uint32_t blocks = static_cast<uint32_t>(trace.core_to_trace.size());
        width_ = std::max(1u, uint32_t{trace.cubes} + trace.vectors);
        if (blocks % width_ != 0) width_ = 1;
    }

    void run() {
        launch_.wide = all_.far || all_.signals;
        if (launch_.wide || all_.near || library()) {
            together();
        } else {
            alone();
        }
    }

  private:
    const LaunchTrace& trace_;
    const uint32_t cores_;
    Launch& launch_;
    std::vector<Ties> ties_;
    Ties all_;
    uint32_t width_;  // cores of an AI Core

    // Does an AI Core with a cube core have two cores that use it?
    bool library() const {
        if (trace_.cubes == 0) return false;
        for (uint32_t first = 0; first < trace_.core_to_trace.size(); first += width_) {
            if (shares_cube(first)) return true;
        }
        return false;
    }

    bool shares_cube(uint32_t first) const {
        if (trace_.cubes == 0) return false;
        uint32_t users = 0;
        for (uint32_t i = 0; i < width_; ++i) users += ties_[trace_.core_to_trace[first + i]].library;
        return users > 1;
    }

    void alone() {
        for (uint32_t program = 0; program < trace_.unique.size(); ++program) {
            launch_.tracks.push_back({program, program, false, 0});
            launch_.units.push_back({{program}, false});
        }
        std::vector<std::vector<uint32_t>> lists(launch_.active_cores);
        for (uint32_t block = 0; block < launch_.blocks; ++block)
            lists[block % launch_.active_cores].push_back(trace_.core_to_trace[block]);
        std::map<std::vector<uint32_t>, uint32_t> counts;
        for (auto& list : lists) ++counts[list];
        for (auto& [list, count] : counts) launch_.groups.push_back({list, count});
    }

    // AI Cores that do the same, wave by wave, are one.
    void together() {
        const uint32_t blocks = launch_.blocks / width_;
        const uint32_t slots = std::max(1u, std::min(blocks, cores_ / width_));
        launch_.active_cores = slots * width_;
        std::map<std::vector<uint32_t>, std::pair<uint32_t, uint32_t>> found;  // to slot and count
        for (uint32_t slot = 0; slot < slots; ++slot) {
            std::vector<uint32_t> key;
            for (uint32_t block = slot; block < blocks; block += slots) {
                for (uint32_t i = 0; i < width_; ++i) key.push_back(trace_.core_to_trace[block * width_ + i]);
            }
            if (all_.signals) key.push_back(slot);
            ++found.emplace(key, std::make_pair(slot, 0u)).first->second.second;
        }
        for (const auto& [key, what] : found) add(what.first, slots, what.second);
    }

    void add(uint32_t slot, uint32_t slots, uint32_t count) {
        std::vector<CoreGroup> members(width_);
        for (uint32_t block = slot; block < launch_.blocks / width_; block += slots) {
            Unit unit;
            unit.shares_cube = shares_cube(block * width_);
            for (uint32_t i = 0; i < width_; ++i) {
                const bool cube = i < trace_.cubes;
                const auto track = static_cast<uint32_t>(launch_.tracks.size());
                launch_.tracks.push_back({trace_.core_to_trace[block * width_ + i],
                                          static_cast<uint32_t>(launch_.units.size()), cube,
                                          static_cast<uint8_t>(cube ? i : i - trace_.cubes)});
                unit.tracks.push_back(track);
                members[i].tracks.push_back(track);
                members[i].count = count;
            }
            launch_.units.push_back(std::move(unit));
        }
        for (CoreGroup& member : members) launch_.groups.push_back(std::move(member));
    }
};

}  // namespace

void place(const LaunchTrace& trace, uint32_t cores, Launch& launch) { Placer(trace, cores, launch).run(); }

}  // namespace ascendopt::sim
