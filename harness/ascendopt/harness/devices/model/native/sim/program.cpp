#include "program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "../support/address_map.h"
#include "units.h"

namespace ascendopt::sim {

namespace {

const char* pipe_name(Pipe pipe) {
    static const char* names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    int index = static_cast<int>(pipe);
    return index < kPipes ? names[index] : "?";
}

uint64_t combine(uint64_t h, uint64_t v) {
    h ^= v + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
    return h * 0xBF58476D1CE4E5B9ull;
}

struct HashCost {
    uint64_t operator()(const CostClass& c) const {
        uint64_t h = combine(static_cast<uint64_t>(c.kind) << 32 | static_cast<uint64_t>(c.pipe) << 16 | c.flags,
                             static_cast<uint64_t>(c.hit) | static_cast<uint64_t>(c.skewed) << 1 |
                                 static_cast<uint64_t>(c.aligned) << 2 | static_cast<uint64_t>(c.run) << 3 |
                                 static_cast<uint64_t>(c.crowd) << 4 | static_cast<uint64_t>(c.vector) << 8);
        return combine(combine(h, c.repeats), uint64_t{c.row_bytes} << 32 | uint64_t{c.bringers} << 16 | c.sharers);
    }
};

struct HashScalar {
    uint64_t operator()(const ScalarClass& c) const {
        uint64_t h = uint64_t{c.calls} << 32 | uint64_t{c.ub_reads} << 16 | c.ub_writes;
        return combine(h, uint64_t{c.gm_reads} << 32 | uint64_t{c.gm_writes} << 1 | (c.issue ? 1 : 0));
    }
};

// Interns classes. A few of them repeat in turn, so one that was seen last at a hash's place is tried first.
template <class Class, class Hash>
class Interner {
  public:
    explicit Interner(std::vector<Class>& out) : out_(out) {}
    uint32_t operator()(const Class& c) {
        const uint64_t hash = Hash()(c) >> 1;
        uint32_t& recent = recent_[(hash >> 40) % kRecent];
        if (recent < out_.size() && out_[recent] == c) return recent;
        // Two classes of one hash are told apart by probing the next one.
        for (uint64_t key = hash;; ++key) {
            const auto [known, fresh] = index_.add(key, static_cast<uint32_t>(out_.size()));
            if (fresh) out_.push_back(c);
            if (out_[known] == c) return recent = known;
        }
    }

  private:
    static constexpr size_t kRecent = 64;
    std::vector<Class>& out_;
    AddressMap<uint32_t> index_;
    std::array<uint32_t, kRecent> recent_{};
};

// Where a global address was last touched, in bytes moved by its core until then. Reads and writes are recognised by
// their first byte: a tensor that is read again in other tile sizes counts as a hit only where tiles begin alike.
class Reuse {
  public:
    Reuse(double l2_bytes, double sharers) : window_(0.9 * l2_bytes / std::max(1.0, sharers)) {}

    struct Visit {
        double position;
        double share;  // of the bytes that this core brings in, when it does: the others that read there bring the rest
    };

    // Whether the data are in the cache: from the visit before this one, if that is not too long ago, or from other
    // cores that have been there.
    bool touch(uint64_t address, double position, double& share) {
        auto [visit, first] = last_.add(address, Visit{position, share});
        const bool near = first ? share == 0 : position - visit.position <= window_;
        visit.position = position;
        share = visit.share;
        return near;
    }

  private:
    double window_;
    AddressMap<Visit> last_;
};

// Slots of flags: one is taken by each SetFlag and given back by the WaitFlag that it lets pass.
class Slots {
  public:
    explicit Slots(uint32_t& count) : count_(count), places_(kFlags, 0) {}

    uint32_t set(const TraceRecord& r) {
        if (free_.empty()) free_.push_back(count_++);
        const uint32_t slot = free_.back();
        free_.pop_back();
        uint16_t& place = places_[flag_of(r)];
        if (place == 0) {
            pending_.emplace_back();
            place = static_cast<uint16_t>(pending_.size());
        }
        pending_[place - 1u].push_back(slot);
        return slot;
    }

    uint32_t wait(const TraceRecord& r) {
        const uint16_t place = places_[flag_of(r)];
        if (place == 0 || pending_[place - 1u].empty())
            throw std::runtime_error(std::string("pipe ") + pipe_name(r.dst_pipe) + " waits for event " +
                                     std::to_string(r.event) + " of pipe " + pipe_name(r.pipe) +
                                     " that was never set: the kernel would hang");
        std::vector<uint32_t>& queue = pending_[place - 1u];
        const uint32_t slot = queue.front();
        queue.erase(queue.begin());  // hardly ever more than one
        free_.push_back(slot);
        return slot;
    }

  private:
    static constexpr size_t kFlags = size_t{kPipes} * kPipes * 256;  // by pipe, waiting pipe, event
    static size_t flag_of(const TraceRecord& r) {
        return (static_cast<size_t>(r.pipe) * kPipes + static_cast<size_t>(r.dst_pipe)) * 256 + r.event;
    }

    uint32_t& count_;
    std::vector<uint16_t> places_;                // index into pending_ and one more; 0: not seen yet
    std::vector<std::vector<uint32_t>> pending_;  // set and not yet waited for, oldest first
    std::vector<uint32_t> free_;
};

// Reductions hold their results back longer than other vector instructions.
bool reduces(uint16_t op) {
    const auto what = static_cast<Op>(op);
    return (what >= Op::ReduceSum && what <= Op::RepeatReduceSum) ||
           (what >= Op::ReduceSumRepeat && what <= Op::ReduceMinRepeat);
}

class Preparer {
  public:
    Preparer(const LaunchTrace& trace, const ParameterFile& file)
        : trace_(trace), file_(file), costs_(launch_.costs), scalars_(launch_.scalars) {}

    Launch run() {
        if (trace_.core_to_trace.empty()) throw std::runtime_error("the trace has no core");
        std::vector<uint32_t> uses(trace_.unique.size(), 0);
        for (uint32_t index : trace_.core_to_trace) {
            if (index >= uses.size()) throw std::runtime_error("the trace names a core record that does not exist");
            ++uses[index];
        }
        group();
        pieces_ = alike() ? kPieces : 1;
        for (size_t i = 0; i < trace_.unique.size(); ++i) add(trace_.unique[i], uses[i]);
        check_segments();
        return std::move(launch_);
    }

  private:
    static constexpr uint32_t kPieces = 8;

    const LaunchTrace& trace_;
    const ParameterFile& file_;
    Launch launch_;
    uint32_t pieces_ = 1;
    Interner<CostClass, HashCost> costs_;
    Interner<ScalarClass, HashScalar> scalars_;

    double constant(Constant c) const { return file_.get(c).value; }

    void group() {
        launch_.blocks = static_cast<uint32_t>(trace_.core_to_trace.size());
        uint32_t cores = static_cast<uint32_t>(constant(Constant::vector_cores));
        // Each cube core has two vector cores.
        if (trace_.cubes > 0) cores = cores / 2 * (uint32_t{trace_.cubes} + trace_.vectors);
        if (cores == 0) cores = launch_.blocks;
        launch_.active_cores = std::min(cores, launch_.blocks);
        launch_.mixed = trace_.cubes > 0 && trace_.vectors > 0;
        place(trace_, cores, launch_);
    }

    // Cores that do about the same go through their phases together.
    bool alike() const {
        size_t least = SIZE_MAX, most = 0;
        for (const CoreTrace& core : trace_.unique) {
            least = std::min(least, core.records.size());
            most = std::max(most, core.records.size());
        }
        // A few steps make no phases.
        return least >= 32 * kPieces && 2 * least >= most && trace_.cubes * trace_.vectors == 0;
    }

    // Steps after which a piece ends: kPieces equal ones between two SyncAlls.
    std::vector<uint32_t> ends_of(const CoreTrace& core) const {
        std::vector<uint32_t> ends;
        const auto size = static_cast<uint32_t>(core.records.size());
        for (uint32_t first = 0, at = 0; at <= size; ++at) {
            if (at < size && core.records[at].kind != TraceKind::SyncAll) continue;
            const uint32_t end = std::min(at + 1, size);  // the SyncAll itself belongs to the piece before it
            for (uint32_t piece = 1; piece <= pieces_; ++piece)
                ends.push_back(first + static_cast<uint32_t>(uint64_t{end - first} * piece / pieces_));
            first = at + 1;
        }
        return ends;
    }

    ScalarClass scalar_of(const TraceRecord& r) const {
        return {r.scalar_ops,      r.scalar_ub_reads,  r.scalar_ub_writes,
                r.scalar_gm_reads, r.scalar_gm_writes, r.kind != TraceKind::Scalar};
    }

    // The Matmul library loads to L1 on MTE1 of the vector core that it is called from.
    static bool loads_for_library(const TraceRecord& r) { return r.pipe == Pipe::MTE1 && (r.flags & kToL1) != 0; }

    CostClass transfer(const TraceRecord& r, uint32_t uses, Reuse& reuse, double& position, Traffic& traffic) {
        CostClass c;
        c.pipe = r.pipe;
        c.flags = r.flags & (kL2Bypass | kToL1 | kGmWrite);
        c.repeats = std::max<uint32_t>(1, r.repeats);
        c.row_bytes = r.elements;
        const double bytes = static_cast<double>(c.bytes());
        const bool store = (r.flags & kGmWrite) != 0;
        if (!store && r.pipe != Pipe::MTE2 && !loads_for_library(r)) {
            c.kind = CostClass::Kind::Local;
            return c;
        }
        const auto granule = static_cast<uint64_t>(constant(Constant::granule_bytes));
        c.aligned = granule == 0 || c.row_bytes < granule ||
                    (r.gm_address % granule == 0 && (c.repeats == 1 || r.gm_pitch % granule == 0));
        c.skewed = (r.flags & kToL1) && c.repeats > 1 && r.gm_pitch % 32 != 0;
        // Written lines stay in the cache as read ones do.
        double share = store ? 1 : std::min<double>(r.fresh, uses) / uses;
        const bool near = reuse.touch(r.gm_address, position, share);
        if (store) {
            c.kind = r.pipe == Pipe::FIX ? CostClass::Kind::FixStore : CostClass::Kind::Store;
            traffic.write += bytes;
            position += bytes;
            return c;
        }
        c.kind = (r.flags & kToL1) ? CostClass::Kind::LoadL1 : CostClass::Kind::Load;
        const bool bypass = (r.flags & kL2Bypass) != 0;
        c.sharers = static_cast<uint16_t>(std::min<uint32_t>(uses, r.event + 1u));
        c.hit = !bypass && near;
        if (!c.hit && !bypass) {
            // Only what comes in pushes other data out.
            position += bytes * share;
            c.bringers = static_cast<uint16_t>(std::lround(1 / share));
        }
        account(c, bytes, bypass, share, traffic);
        return c;
    }

    void account(const CostClass& c, double bytes, bool bypass, double share, Traffic& traffic) const {
        if (c.hit) {
            traffic.read_hit += bytes;
            return;
        }
        // Of the cores that read an address at about the same time, one brings it into the cache.
        double miss = bypass ? bytes : bytes * share;
        traffic.read_hit += bytes - miss;
        const double granule = constant(Constant::granule_bytes);
        if (bypass && c.row_bytes < granule)
            miss *= 1 + constant(Constant::short_row_loss) * (1 - c.row_bytes / granule);
        if (bypass) miss *= 1 + constant(Constant::same_address_loss) * (1 - 1.0 / c.sharers);
        traffic.read_miss += miss;
        if (!bypass) traffic.read_filling += miss;
    }

    // `before`: the last record of the same pipe, if that was an instruction.
    CostClass instruction(const TraceRecord& r, const TraceRecord* before) const {
        CostClass c;
        c.pipe = r.pipe;
        if (r.pipe == Pipe::V) {
            c.kind = CostClass::Kind::Vector;
            c.flags = r.flags & (kBankReadRead | kBankReadWrite | kPartialReadRead);
            c.crowd = r.event;
            c.run = (r.flags & kMaskKept) && before && before->op == r.op && before->dtype == r.dtype;
            c.vector = vector_index(r.op, r.dtype);
            c.repeats = r.repeats;
            return c;
        }
        c.kind = CostClass::Kind::Cube;
        c.vector = r.op;
        c.repeats = r.repeats;
        c.row_bytes = r.elements;
        c.run = before && before->op == r.op;
        return c;
    }

    // The vector pipe starts afresh when it has waited, every pipe when it has drained.
    static void remember(const TraceRecord& r, std::array<const TraceRecord*, kPipes>& before) {
        switch (r.kind) {
            case TraceKind::Instr:
                before[static_cast<size_t>(r.pipe)] = &r;
                break;
            case TraceKind::WaitFlag:
                if (r.dst_pipe == Pipe::V) before[static_cast<size_t>(r.dst_pipe)] = nullptr;
                break;
            case TraceKind::Barrier:
                before[static_cast<size_t>(r.pipe)] = nullptr;
                break;
            case TraceKind::BarrierAll:
            case TraceKind::SyncAll:
            case TraceKind::CrossWait:
                before.fill(nullptr);
                break;
            default:
                break;
        }
    }

    uint32_t cross(const TraceRecord& r, Program& program) {
        if (r.op >= static_cast<uint16_t>(CrossMode::Count) || r.event > kBarrierFlag)
            throw std::runtime_error("the trace has a cross-core flag of unknown kind");
        const CrossPoint point{static_cast<CrossMode>(r.op), r.event, r.elements, r.gm_address};
        auto& sets = program.sets;
        if (r.kind == TraceKind::CrossSet && std::find(sets.begin(), sets.end(), point) == sets.end())
            sets.push_back(point);
        auto& points = launch_.points;
        const auto at = static_cast<uint32_t>(std::find(points.begin(), points.end(), point) - points.begin());
        if (at == points.size()) points.push_back(point);
        return at;
    }

    void add(const CoreTrace& core, uint32_t uses) {
        Program program;
        program.ends = ends_of(core);
        program.segments.resize(program.ends.size());
        size_t piece = 0;
        program.steps.reserve(core.records.size());
        Reuse reuse(constant(Constant::l2_bytes), launch_.active_cores);
        double position = 0;
        Slots slots(program.slots);
        std::array<const TraceRecord*, kPipes> before{};
        for (const TraceRecord& r : core.records) {
            if (static_cast<int>(r.pipe) >= kPipes || static_cast<int>(r.dst_pipe) >= kPipes)
                throw std::runtime_error("the trace has a record with an unknown pipe");
            while (program.ends[piece] <= program.steps.size() && piece + 1 < program.ends.size()) ++piece;
            Step step{r.kind, r.pipe, r.dst_pipe, 0, scalars_(scalar_of(r))};
            switch (r.kind) {
                case TraceKind::Instr:
                    step.cost = costs_(instruction(r, before[static_cast<size_t>(r.pipe)]));
                    break;
                case TraceKind::Transfer:
                    step.cost = costs_(transfer(r, uses, reuse, position, program.segments[piece]));
                    program.library = program.library || loads_for_library(r);
                    break;
                case TraceKind::SetFlag:
                    step.cost = slots.set(r);
                    break;
                case TraceKind::WaitFlag:
                    step.cost = slots.wait(r);
                    break;
                case TraceKind::SyncAll:
                    ++program.syncs;
                    break;
                case TraceKind::Barrier: {
                    const TraceRecord* last = before[static_cast<size_t>(r.pipe)];
                    step.cost = r.pipe == Pipe::V && last && reduces(last->op) ? 1 : 0;
                    break;
                }
                case TraceKind::BarrierAll:
                case TraceKind::Scalar:
                    break;
                case TraceKind::CrossSet:
                case TraceKind::CrossWait:
                    step.cost = cross(r, program);
                    break;
                default:
                    throw std::runtime_error("the trace has a record of unknown kind");
            }
            program.steps.push_back(step);
            remember(r, before);
        }
        launch_.programs.push_back(std::move(program));
    }

    void check_segments() const {
        if (launch_.wide && launch_.blocks > launch_.active_cores)
            throw std::runtime_error("cores wait for each other with more blocks than cores: the kernel would hang");
        const uint32_t syncs = launch_.programs[trace_.core_to_trace[0]].syncs;
        for (uint32_t index : trace_.core_to_trace) {
            if (launch_.programs[index].syncs != syncs)
                throw std::runtime_error(
                    "the cores do not meet in the same number of SyncAll calls: the kernel would hang");
        }
        if (syncs > 0 && launch_.blocks > launch_.active_cores)
            throw std::runtime_error("SyncAll with more blocks than cores: the kernel would hang");
    }
};

}  // namespace

Launch prepare(const LaunchTrace& trace, const ParameterFile& file) { return Preparer(trace, file).run(); }

}  // namespace ascendopt::sim
