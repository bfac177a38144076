// Requests as typed values. Reading throws json::Error with one sentence when something is missing or wrong.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../host/describe.h"
#include "../rt/launch.h"
#include "../sim/json.h"

namespace ascendopt::run {

struct Limits {
    double cpu_s = 10;      // for each case
    double wall_s = 60;     // for each case
    uint64_t as_mb = 2048;  // besides the arguments' own bytes
    uint64_t instructions = 50'000'000;
};

// One pointer argument of the kernel.
struct ArgumentSpec {
    rt::Role role = rt::Role::Input;
    uint64_t bytes = 0;
    bool from_tiling = false;  // workspace whose size the tiling function says
    std::string file;          // empty: no file
    bool is_list = false;
    std::vector<uint64_t> list_bytes;
    std::vector<std::string> list_files;  // empty, or one per tensor
    bool initial = false;                 // output whose files hold what it starts with
    // Written in place: the files that the contents after the run go to, one per tensor.
    std::vector<std::string> results;
    int same_as = -1;  // the number of an earlier argument whose memory this is
};

// An input of the tiling function; `files` hold the values it may read, one per tensor or none.
struct TileSpec {
    host::TileRequest request;
    std::vector<std::vector<std::string>> input_files;
};

// Tiling data given instead of computed.
struct TilingSpec {
    std::vector<uint8_t> bytes;
    uint64_t key = 0;
    uint32_t block_dim = 1;
};

struct Case {
    std::string kernel;
    std::string entry;
    bool has_tiling = false;  // else the host object's tiling function is run
    TilingSpec tiling;
    TileSpec tile;
    std::vector<ArgumentSpec> arguments;
    std::vector<int64_t> slots;  // tile: in place of the request's
};

struct Request {
    enum class Command { Hello, Describe, Infer, Tile, Run, Profile, Replay, Program } command = Command::Hello;
    std::string id = "null";  // as JSON text
    std::string host;
    std::vector<int64_t> slots;  // numbers for host code that was compiled with slots
    std::string program;         // program only: the object, the folder it works in, its command line
    std::string folder;
    std::vector<std::string> arguments;
    host::ChipFacts chip;  // program only
    rt::ChipMemory memory;
    uint64_t l2_bytes = 0;
    uint64_t system_workspace_bytes = 16u << 20;
    bool functional = true;
    bool timing = true;  // send the trace back and replay it
    bool check_races = true;
    bool strict_v_barrier = false;
    bool as_meant = false;
    bool timeline = false;
    Limits limits;
    std::string params;  // path of the timing JSON; empty: no replay
    int samples = 0;
    uint64_t seed = 0;
    std::vector<Case> cases;  // one for infer, run, and tile without a list
    bool lists = false;       // the answer is a list, of one a case
    bool reloads = false;     // cases have slots of their own: host code is loaded for each
    LaunchTrace trace;        // replay only
};

Request read_request(const json::Value& line);

std::vector<uint8_t> from_hex(const std::string& text, const char* what);

}  // namespace ascendopt::run
