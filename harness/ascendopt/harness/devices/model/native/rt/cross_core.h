// Synchronisation between the cores of a launch, and what each core knows of the others. Internal to rt/.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "shadow.h"

namespace ascendopt::rt {

struct Core;

// By core: the sequence numbers, one a pipe, up to which its work is known to be done.
using View = std::vector<std::array<uint32_t, 8>>;
using ViewPointer = std::shared_ptr<const View>;

enum class CoreKind : uint8_t { Cube = 1, Vector = 2 };

// How many cores of each kind an AI Core starts.
struct Task {
    uint8_t cubes = 0;
    uint8_t vectors = 1;

    bool operator==(const Task& other) const { return cubes == other.cubes && vectors == other.vectors; }
};

// Cores that signal together and the cores that hear of it when all have.
struct Gathering {
    std::vector<uint32_t> members;
    std::vector<uint32_t> hearers;
    std::map<uint32_t, std::deque<ViewPointer>> said;  // by member
};

// Where a core stands still.
struct Blocked {
    enum Reason : uint8_t { Nothing, Barrier, Flag, Signal, Turn, Poll };
    Reason reason = Nothing;
    // Barrier: first member; Flag: its number; Signal: address; Turn: how many steps came before; Poll: what the launch
    // had done
    uint64_t what = 0;
    uint32_t cores = 0;  // Barrier: how many cores meet
};

// One launch's cross-core state.
struct CrossCore {
    static constexpr int kFlags = 16;
    static constexpr size_t kMostPending = 15;  // counters have four bits

    std::map<uint32_t, Gathering> gatherings;                         // by mode, kind, AI Core, flag
    std::vector<std::array<std::vector<ViewPointer>, kFlags>> flags;  // by core; the oldest first, hardly ever many
    std::map<uint64_t, std::deque<ViewPointer>> signals;              // by global address
    std::vector<uint64_t> passed;                                     // by core: NotifyNextBlock calls
    std::vector<uint64_t> awaited;                                    // by core: WaitPreBlock calls
    std::vector<ViewPointer> handed;                                  // by core: what the last NotifyNextBlock said
    std::map<uint64_t, ViewPointer> cleaned;  // by cache line: what the core knew that wrote it out last
};

// A core that does nothing but read global memory, line by line fresh from it.
struct Polling {
    uint32_t sequence = 0;  // of the launch, when it began
    uint32_t times = 0;
    size_t accesses = 0;  // the core's own counters then
    uint32_t gm_reads = 0, calls = 0;
};

// What a core knows, left at an address of global memory for one that waits there. `device`: its virtual address.
void send_signal(uint64_t at, uint64_t device);
void take_signal(uint64_t at, uint64_t device);
bool can_go_on(const Core& core);
// DataCacheCleanAndInvalid of a line (0: of all): a core that does nothing else lets the others run, and what it read
// meanwhile counts neither in time nor as an access.
void poll(uint64_t line);
// A core wrote a line of its cache out, or reads one: whoever reads what was written knows what the writer knew.
void line_cleaned(uint64_t line);
void line_read(uint64_t line);
// Cores that stand at a barrier which all its members have reached go on. False if there is none.
bool open_barriers();
// Nothing moves any more: says who waits for what.
void report_deadlock();
// Counters that nothing has waited for.
void report_unheard();

}  // namespace ascendopt::rt
