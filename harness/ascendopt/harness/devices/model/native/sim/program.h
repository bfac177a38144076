// A trace, prepared for replay: records become steps that refer to cost classes, flags are matched, reuse of global
// memory is found. One program serves every parameter set.
#pragma once
#include <cstdint>
#include <vector>

#include "../abi/trace.h"
#include "parameters.h"

namespace ascendopt::sim {

constexpr int kPipes = static_cast<int>(Pipe::Count);

// What a step costs, as features. Steps with equal features share a class.
struct CostClass {
    enum class Kind : uint8_t { Vector, Load, LoadL1, Store, FixStore, Local, Cube } kind = Kind::Cube;
    Pipe pipe = Pipe::S;
    uint8_t flags = 0;
    bool hit = false;        // load: the data are in the L2 cache
    uint16_t sharers = 1;    // load: cores that read this address at about the same time
    uint16_t bringers = 1;   // load that misses: one core in so many brings the data in, the others find them
    bool skewed = false;     // load to L1: rows do not start on blocks of 32 B
    bool aligned = true;     // rows start on granule boundaries
    bool run = false;        // vector: follows an equal instruction under the same mask
    uint8_t crowd = 0;       // vector: blocks of one operand's repeat that share a bank group
    int vector = 0;          // Vector: index into the vector table; Cube: CubeOp
    uint32_t repeats = 0;    // Vector: 256 B repeats; transfers: rows; Mmad: steps
    uint32_t row_bytes = 0;  // Cube: elements
    bool operator==(const CostClass& o) const {
        return kind == o.kind && pipe == o.pipe && flags == o.flags && hit == o.hit && sharers == o.sharers &&
               bringers == o.bringers && skewed == o.skewed && aligned == o.aligned && run == o.run &&
               crowd == o.crowd && vector == o.vector && repeats == o.repeats && row_bytes == o.row_bytes;
    }
    uint64_t bytes() const { return uint64_t{repeats} * row_bytes; }
};

// What the scalar unit did before a record, the record's own issue included.
struct ScalarClass {
    uint16_t calls = 0, ub_reads = 0, ub_writes = 0, gm_reads = 0, gm_writes = 0;
    bool issue = true;
    bool operator==(const ScalarClass& o) const {
        return calls == o.calls && ub_reads == o.ub_reads && ub_writes == o.ub_writes && gm_reads == o.gm_reads &&
               gm_writes == o.gm_writes && issue == o.issue;
    }
};

struct Step {
    TraceKind kind;
    Pipe pipe;
    Pipe dst;
    // Instr, Transfer: index into Launch::costs; SetFlag, WaitFlag: slot; CrossSet, CrossWait: index into
    // Launch::points; Barrier: 1 after a reduction
    uint32_t cost;
    uint32_t scalar;  // index into Launch::scalars
};

// Bytes of one core in one piece.
struct Traffic {
    double read_miss = 0;     // from HBM, with what short rows waste
    double read_hit = 0;      // from the L2 cache
    double read_filling = 0;  // the part of the misses that takes room in the L2 cache
    double write = 0;
};

// What a core tells others or waits for.
struct CrossPoint {
    CrossMode mode = CrossMode::All;
    uint8_t flag = 0;
    uint32_t cores = 0;   // All: how many of its kind take part
    uint64_t signal = 0;  // Signal: which
    bool operator==(const CrossPoint& o) const {
        return mode == o.mode && flag == o.flag && cores == o.cores && signal == o.signal;
    }
};

struct Program {
    std::vector<Step> steps;
    std::vector<CrossPoint> sets;   // those that it sets, each once
    std::vector<Traffic> segments;  // pieces of the time between two SyncAlls
    std::vector<uint32_t> ends;     // of the pieces: index of the step after the last
    uint32_t syncs = 0;
    uint32_t slots = 0;
    bool library = false;  // a vector core whose Matmul library loads on MTE1 what the cube core loads on its MTE2
};

// A core that is walked: a program beside those that it shares an AI Core with.
struct Track {
    uint32_t program = 0;
    uint32_t unit = 0;
    bool cube = false;
    uint8_t sub = 0;  // among the cores of its kind in the AI Core
};

// Cores that are walked together: those of an AI Core where they wait for each other, else one alone.
struct Unit {
    std::vector<uint32_t> tracks;
    bool shares_cube = false;  // the Matmul library works for its vector cores
};

// Blocks that run on one physical core, one after the other, and how many cores do exactly that.
struct CoreGroup {
    std::vector<uint32_t> tracks;
    uint32_t count = 1;
};

struct Launch {
    std::vector<Program> programs;
    std::vector<Track> tracks;
    std::vector<Unit> units;
    bool wide = false;  // AI Cores wait for each other apart from SyncAll
    std::vector<CoreGroup> groups;
    std::vector<CostClass> costs;
    std::vector<ScalarClass> scalars;
    std::vector<CrossPoint> points;
    uint32_t blocks = 0;
    uint32_t active_cores = 0;
    bool mixed = false;  // cube and vector cores together

    const Program& of(uint32_t track) const { return programs[tracks[track].program]; }
};

// Throws std::runtime_error when the trace cannot run: a wait without a set, cores that disagree on SyncAll.
Launch prepare(const LaunchTrace& trace, const ParameterFile& file);

}  // namespace ascendopt::sim
