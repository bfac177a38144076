// One launch: cores as fibers, run one after another; they yield only where cores wait for each other.
#include <algorithm>
#include <cstring>
#include <utility>

#include "object.h"
#include "state.h"
#include "trace_merge.h"

namespace ascendopt::rt {

namespace {

constexpr size_t kMaxArguments = 32;

using Entry = void (*)(const std::vector<uint8_t*>&, void*);

template <size_t... I>
void call_with(const std::vector<uint8_t*>& arguments, void* entry, std::index_sequence<I...>) {
    using Function = void (*)(decltype(static_cast<void>(I), static_cast<uint8_t*>(nullptr))...);
    reinterpret_cast<Function>(entry)(arguments[I]...);
}

template <size_t N>
void call_n(const std::vector<uint8_t*>& arguments, void* entry) {
    call_with(arguments, entry, std::make_index_sequence<N>{});
}

template <size_t... N>
void call_any(const std::vector<uint8_t*>& arguments, void* entry, std::index_sequence<N...>) {
    static constexpr Entry table[] = {&call_n<N>...};
    table[arguments.size()](arguments, entry);
}

uint8_t* make_stack(uint32_t bytes) {
    Launch& launch = *current;
    if (!launch.stacks.empty()) {
        uint8_t* stack = launch.stacks.back();
        launch.stacks.pop_back();
        return stack;
    }
    constexpr uint64_t kGuard = 64 * 1024;  // a frame larger than a page must not step over it
    return map_for_launch(bytes, kGuard);
}

// Runs on the fiber's own stack. Never returns: the scheduler is resumed explicitly.
void fiber() {
    Launch& launch = *current;
    if (launch.request->call) {
        launch.request->call(launch.request->context);
    } else {
        call_any(launch.arguments, launch.request->entry, std::make_index_sequence<kMaxArguments + 1>{});
    }
    Core& here = core();
    if (!launch.repetition.core_ends()) {
        here.return_address = 0;
        here.frame = nullptr;
        here.api = "end of kernel";
        finish_core();
        flush_scalar();
    }
    here.status = CoreStatus::Done;
    setcontext(&launch.scheduler);
}

bool start(Core& next) {
    Launch& launch = *current;
    next.stack = make_stack(launch.request->stack_bytes);
    if (!next.stack) return false;
    if (launch.spare.empty()) {
        next.memories = std::make_unique<Memories>();
    } else {
        next.memories = std::move(launch.spare.back());
        launch.spare.pop_back();
        for (LocalMemory& place : *next.memories) {
            if (place.data && functional()) std::memset(place.data, 0xFF, place.bytes);
        }
    }
    next.records = std::move(launch.spare_records);
    next.start = launch.sequence;
    for (Clock& clock : next.clocks) clock.fill(launch.sequence);
    next.vector_barrier = launch.sequence;
    getcontext(&next.context);
    next.context.uc_stack.ss_sp = next.stack;
    next.context.uc_stack.ss_size = launch.request->stack_bytes;
    next.context.uc_link = nullptr;
    makecontext(&next.context, fiber, 0);
    next.status = CoreStatus::Ready;
    launch.core = &next;
    launch.repetition.core_starts();
    launch.core = nullptr;
    return true;
}

void run_core(Core& next) {
    Launch& launch = *current;
    launch.core = &next;
    next.status = CoreStatus::Ready;
    swapcontext(&launch.scheduler, &next.context);
    launch.core = nullptr;
}

void retire(Core& done) {
    Launch& launch = *current;
    const bool recorded = launch.repetition.core_retires(done);
    if (!recorded || !add_trace(launch.result.trace, done.index, done.records)) {
        launch.recorded -= done.records.size();
        launch.spare_records = std::move(done.records);
        launch.spare_records.clear();
    }
    launch.repetition.core_retired(done);
    done.records = {};
    done.queues = {};
    done.matmuls = {};
    launch.stacks.push_back(done.stack);
    launch.spare.push_back(std::move(done.memories));
    done.stack = nullptr;
}

// Runs each core as far as it comes. False if none moved.
bool advance() {
    Launch& launch = *current;
    bool moved = false;
    for (Core& each : launch.cores) {
        if (each.status == CoreStatus::New && !start(each)) {
            Report out{"out_of_memory"};
            out.message = "no memory for the stack of a core";
            report(out);
            launch.dead = true;
            return false;
        }
        if (each.status == CoreStatus::Done || (each.status == CoreStatus::Waiting && !can_go_on(each))) continue;
        moved = true;
        run_core(each);
        if (launch.dead || launch.restart) return false;
        if (each.status == CoreStatus::Done) retire(each);
    }
    return moved;
}

void schedule() {
    Launch& launch = *current;
    const auto running = [](const Core& each) { return each.status != CoreStatus::Done; };
    while (std::any_of(launch.cores.begin(), launch.cores.end(), running)) {
        const bool moved = advance();
        if (launch.dead || launch.restart) return;
        if (moved || open_barriers()) continue;
        return report_deadlock();
    }
    report_unheard();
}

// Cores in the order of their AI Cores, the cube core first.
void make_cores(Launch& launch) {
    const uint32_t each = launch.task.cubes + launch.task.vectors;
    const uint32_t count = launch.request->block_dim * each;
    launch.cores = std::vector<Core>(count);
    launch.result.trace.core_to_trace.assign(count, 0);
    launch.result.trace.cubes = launch.task.cubes;
    launch.result.trace.vectors = launch.task.vectors;
    for (uint32_t i = 0; i < count; ++i) {
        Core& made = launch.cores[i];
        const uint32_t place = i % each;
        made.index = i;
        made.block = i / each;
        made.kind = place < launch.task.cubes ? CoreKind::Cube : CoreKind::Vector;
        made.sub = made.kind == CoreKind::Cube ? place : place - launch.task.cubes;
        made.order = made.block * (made.kind == CoreKind::Cube ? launch.task.cubes : launch.task.vectors) + made.sub;
    }
    launch.cross = {};
    launch.cross.flags.resize(count);
    const uint32_t vectors = launch.request->block_dim * launch.task.vectors;
    launch.cross.passed.assign(vectors, 0);
    launch.cross.awaited.assign(vectors, 0);
    launch.cross.handed.assign(vectors, nullptr);
}

// What the kernel says about its cores comes first, so a run that began on the wrong ones has done nothing yet.
void run_on_its_cores(Launch& launch) {
    const LaunchRequest& request = *launch.request;
    const bool known = request.cubes + request.vectors != 0;
    launch.task = known ? Task{request.cubes, request.vectors} : assumed_task(launch);
    if (known) launch.task_from = 3;  // above whatever the kernel says by a macro
    do {
        launch.restart = false;
        launch.result = {};
        launch.l2 = L2Content(request.l2_bytes);
        make_cores(launch);
        launch.repetition.begin(launch.cores.size(), launch.task.cubes + launch.task.vectors);
        schedule();
    } while (launch.restart);
}

}  // namespace

LaunchResult launch(const LaunchRequest& request) {
    Launch here;
    here.request = &request;
    current = &here;
    find_object(here);
    map_arguments();
    if (request.block_dim == 0 || (!request.call && here.arguments.size() > kMaxArguments)) {
        Report out{"launch"};
        out.message = request.block_dim == 0 ? std::string("the host code asked for 0 cores")
                                             : format("the kernel has more than %zu arguments", kMaxArguments);
        report(out);
        here.dead = true;
    } else {
        run_on_its_cores(here);
        if (!here.dead) gm_conflicts();
        if (!here.dead) join_traces(here.result.trace);
    }
    here.result.completed = !here.dead;
    if (here.dead) here.result.trace = {};  // of cores that have not run there is none
    current = nullptr;
    return std::move(here.result);
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

int64_t asc_block_idx() { return core().order; }
int64_t asc_block_raw() { return core().block; }
uint8_t asc_core_type() { return static_cast<uint8_t>(core().kind); }

int64_t asc_sub_block(uint8_t what) {
    if (what == 0) return core().sub;
    return core().kind == CoreKind::Cube ? current->task.cubes : current->task.vectors;
}

void asc_task_type(uint8_t type, uint64_t key, uint8_t specific) {
    // By KernelMetaType; those of other architectures start vector cores.
    static constexpr Task tasks[] = {{0, 1}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}};
    Launch& launch = *current;
    const uint8_t from = specific ? 2 : 1;
    if ((specific && key != launch.request->tiling_key) || from <= launch.task_from) return;
    launch.task_from = from;
    const Task wanted = type < sizeof tasks / sizeof tasks[0] ? tasks[type] : Task{};
    if (wanted == launch.task) return;
    launch.task = wanted;
    launch.restart = true;
    Core& here = core();
    launch.stacks.push_back(here.stack);
    launch.spare.push_back(std::move(here.memories));
    setcontext(&launch.scheduler);
}
int64_t asc_block_num() { return current->request->block_dim; }
uint64_t asc_tiling_key() { return current->request->tiling_key; }

int64_t asc_cycle() {
    current->repetition.leave();
    data_dependent("GetSystemCycle");
    return static_cast<int64_t>(core().instructions);
}

void asc_assert(const char* condition) {
    ASC_ENTER("ASSERT");
    fatal("assert", "ASSERT", "the kernel's own check failed: %s", condition);
}

void asc_trap() {
    ASC_ENTER("Trap");
    fatal("assert", "Trap", "the kernel called Trap");
}

void asc_mask_bits(uint64_t high, uint64_t low) {
    if (ASC_REPEATED(MaskBits, high, low)) return;
    ASC_ENTER_REPEATABLE("SetVectorMask");
    core().mask.low = low;
    core().mask.high = high;
}

void asc_mask_mode(uint8_t counter) {
    if (ASC_REPEATED(MaskMode, counter)) return;
    ASC_ENTER_REPEATABLE("SetMaskMode");
    core().mask.counter = counter != 0;
    if (counter) core().counter_site = site_now();
}
}
