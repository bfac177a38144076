// TPipe, queues and buffers. A queue is per-buffer events: EnQue sets producer -> consumer, DeQue waits for it;
// FreeTensor sets consumer -> producer, the next AllocTensor of that buffer waits for it.
#include <optional>

#include "state.h"

namespace ascendopt::rt {

namespace {

Pipe producer_of(uint8_t position) {
    switch (position) {
        case 2:
        case 4:
        case 6:
            return Pipe::MTE1;
        case 7:
            return Pipe::M;
        case 8:
        case 10:
        case 11:
            return Pipe::V;
        default:
            return Pipe::MTE2;
    }
}

Pipe consumer_of(uint8_t position) {
    switch (position) {
        case 1:
        case 3:
        case 5:
        case 13:
            return Pipe::MTE1;
        case 2:
        case 4:
        case 6:
            return Pipe::M;
        case 7:
            return Pipe::FIX;
        case 9:
        case 11:
            return Pipe::V;
        default:
            return Pipe::MTE3;
    }
}

uint64_t round_up(uint64_t value) { return (value + kBlock - 1) / kBlock * kBlock; }

constexpr uint64_t kFarthest = uint64_t{1} << 30;

constexpr uint8_t kGm = 0, kTscm = 13;

// A TSCM is filled from UB or from global memory, and lies on its far side.
uint8_t home_of(uint8_t src, uint8_t dst) { return src == kGm || dst == kTscm ? dst : src; }
Pipe filler_of(uint8_t src, uint8_t dst) {
    if (src == kGm) return Pipe::MTE2;
    return dst == kTscm ? Pipe::MTE3 : producer_of(src);
}

// A buffer that does not fit does no harm until something touches it, and on a chip nobody checks: a warning, and the
// access is fatal. Sizes that only an underflow gives are fatal here.
void report_full(uint8_t position, uint64_t bytes, const char* what, const LocalMemory& place, uint32_t used) {
    const uint64_t end = used + round_up(bytes);
    const bool absurd = bytes > kFarthest || end > kFarthest;
    Report out{"ub_overflow", absurd ? Severity::Error : Severity::Warning, "InitBuffer"};
    out.buffer = format("%s %s", position_name(position), what);
    out.message = format("InitBuffer needs %llu bytes for a %s %s, but %u of the %u bytes of %s are taken",
                         static_cast<unsigned long long>(bytes), position_name(position), what, used, place.bytes,
                         memory_name(memory_of(position)));
    if (absurd) report_fatal(out);
    report(out);
}

// Bump allocation as InitBuffer does it.
uint32_t allocate(uint8_t position, uint64_t bytes, const char* what) {
    Core& here = core();
    const Memory which = memory_of(position);
    const LocalMemory& place = memory(which);
    const auto index = static_cast<size_t>(which);
    uint32_t& used = here.used[index];
    if (bytes == 0) {
        violation("buffer_empty", 1, "InitBuffer", "InitBuffer gives a %s %s no bytes", position_name(position), what);
    }
    const uint64_t end = used + round_up(bytes);
    if (end > place.bytes) report_full(position, bytes, what, place, used);
    const uint32_t begin = used;
    used = static_cast<uint32_t>(end);
    here.ranges[index].push_back(BufferRange{begin, used, position});
    if (which == Memory::UB && used > current->result.ub_high) current->result.ub_high = used;
    return begin;
}

Queue& queue(uint32_t handle, const char* api) {
    auto& queues = core().queues;
    if (handle == 0 || handle > queues.size()) {
        fatal("queue_uninitialised", api, "%s on a queue that InitBuffer was never called for", api);
    }
    return queues[handle - 1];
}

std::string describe(const Queue& of) {
    const std::string name = of.source == of.destination
                                 ? position_name(of.source)
                                 : std::string(position_name(of.source)) + "->" + position_name(of.destination);
    return format("%s queue with %zu buffer%s of %u bytes", name.c_str(), of.buffers.size(),
                  of.buffers.size() == 1 ? "" : "s", of.bytes);
}

// Buffers of no bytes share an address: the one in use is meant.
int buffer_at(const Queue& of, uint32_t address) {
    int found = -1;
    for (size_t i = 0; i < of.buffers.size(); ++i) {
        const uint32_t begin = of.buffers[i].address;
        if (address < begin || (address >= begin + of.bytes && address != begin)) continue;
        const BufferState state = of.buffers[i].state;
        if (state == BufferState::Allocated || state == BufferState::Taken) return static_cast<int>(i);
        if (found < 0) found = static_cast<int>(i);
    }
    return found;
}

QueueBuffer& buffer_of(BufferHandle handle) {
    return core().queues[static_cast<size_t>(handle.queue)].buffers[static_cast<size_t>(handle.buffer)];
}

// On the chip a tensor carries its buffer's handle, and only a debug build asks whether the queue is its owner. The
// queue's own buffers come first, then those of the others in the same memory. No value: of none of them.
std::optional<BufferHandle> handle_of(const Queue& of, uint32_t address) {
    const auto& queues = core().queues;
    const auto own = static_cast<int32_t>(&of - queues.data());
    if (const int buffer = buffer_at(of, address); buffer >= 0) return BufferHandle{own, buffer};
    for (size_t i = 0; i < queues.size(); ++i) {
        if (queues[i].memory != of.memory) continue;
        if (const int buffer = buffer_at(queues[i], address); buffer >= 0) {
            return BufferHandle{static_cast<int32_t>(i), buffer};
        }
    }
    return std::nullopt;
}

void wait_free(QueueBuffer& buffer) {
    if (buffer.free_event < 0) return;
    wait_flag(buffer.free_from, buffer.free_to, buffer.free_event, false);
    release_event(buffer.free_from, buffer.free_to, buffer.free_event);
    buffer.free_event = -1;
}

void wait_full(QueueBuffer& buffer) {
    if (buffer.full_event < 0) return;
    wait_flag(buffer.full_from, buffer.full_to, buffer.full_event, false);
    release_event(buffer.full_from, buffer.full_to, buffer.full_event);
    buffer.full_event = -1;
}

// Works on the chip: a warning.
void report_other_owner(const char* api, const Queue& of, const Queue& owner) {
    Report out{"queue_owner", Severity::Warning, api};
    out.buffer = describe(of);
    out.message = format(
        "%s in a %s of a tensor that another queue allocated (a %s): the buffer travels with the tensor, but a debug "
        "build stops here. Call AllocTensor, EnQue, DeQue and FreeTensor of one queue",
        api, out.buffer.c_str(), describe(owner).c_str());
    report(out);
}

// False, after an error: the flag that FreeTensor sets is not the one that the owner's next AllocTensor waits for.
bool free_for_other(const Queue& of, const Queue& owner) {
    if (of.consumer == owner.consumer && of.producer == owner.producer) {
        report_other_owner("FreeTensor", of, owner);
        return true;
    }
    violation("queue_free", 0, "FreeTensor",
              "FreeTensor in a %s of a tensor that a %s allocated: it sets a flag from %s to %s, and the next "
              "AllocTensor of that buffer waits for one from %s to %s",
              describe(of).c_str(), describe(owner).c_str(), pipe_name(of.consumer), pipe_name(of.producer),
              pipe_name(owner.consumer), pipe_name(owner.producer));
    return false;
}

void report_leaks(const Queue& of) {
    int queued = 0, held = 0;
    for (const QueueBuffer& buffer : of.buffers) {
        queued += buffer.state == BufferState::Queued;
        held += buffer.state == BufferState::Allocated || buffer.state == BufferState::Taken;
    }
    if (queued == 0 && held == 0) return;
    Report out{"queue_leak"};
    out.severity = queued > 0 ? Severity::Error : Severity::Warning;
    out.buffer = describe(of);
    out.message =
        queued > 0 ? format("%d tensor%s enqueued in a %s but never dequeued", queued, queued == 1 ? " was" : "s were",
                            out.buffer.c_str())
                   : format("%d tensor%s of a %s never freed", held, held == 1 ? " was" : "s were", out.buffer.c_str());
    report(out);
}

void close_pipe(bool destroy) {
    Core& here = core();
    for (Queue& each : here.queues) {
        if (destroy) report_leaks(each);
        for (QueueBuffer& buffer : each.buffers) {
            wait_free(buffer);
            wait_full(buffer);
            buffer.state = BufferState::Free;
        }
        each.queued.clear();
    }
    barrier_all(TraceKind::BarrierAll);
    here.queues.clear();
    here.used.fill(0);
    for (auto& ranges : here.ranges) ranges.clear();
}

void enqueue(Queue& of, uint32_t address, Pipe from, Pipe to) {
    const std::optional<BufferHandle> handle = handle_of(of, address);
    if (!handle) {
        fatal("queue_enque", "EnQue", "EnQue of a tensor at %u that is not a buffer of any queue; this is a %s",
              address, describe(of).c_str());
    }
    const Queue& owner = core().queues[static_cast<size_t>(handle->queue)];
    QueueBuffer& buffer = buffer_of(*handle);
    if (buffer.state == BufferState::Queued) {
        fatal("queue_enque", "EnQue", "EnQue of a tensor that is already in a %s", describe(owner).c_str());
    }
    if (&owner != &of) report_other_owner("EnQue", of, owner);
    if (buffer.state == BufferState::Free) {
        violation("queue_enque", 0, "EnQue", "EnQue of a tensor of a %s that was freed or never allocated",
                  describe(owner).c_str());
    }
    buffer.state = BufferState::Queued;
    of.queued.push_back(*handle);
    if (from == to) return;
    buffer.full_from = from;
    buffer.full_to = to;
    buffer.full_event = take_event(from, to);
    set_flag(from, to, buffer.full_event, false);
}

uint32_t ask(const Queue& of, uint8_t what) {
    if (what == kAscQueTensors) return static_cast<uint32_t>(of.queued.size());
    if (what == kAscQueFull) return of.queued.size() == of.buffers.size();
    uint32_t free = 0;
    for (const QueueBuffer& buffer : of.buffers) free += buffer.state == BufferState::Free;
    return free;
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;
using ascendopt::Pipe;

extern "C" {

void asc_pipe_open(void* pipe) {
    if (ASC_REPEATED(PipeOpen, reinterpret_cast<uint64_t>(pipe))) return;
    ASC_ENTER_REPEATABLE("TPipe");
    Core& here = core();
    here.pipe = pipe;
    here.pipe_open = true;
    here.used.fill(0);
    for (auto& ranges : here.ranges) ranges.clear();
}

void asc_pipe_close(void* pipe, uint8_t destroy) {
    if (ASC_REPEATED(PipeClose, reinterpret_cast<uint64_t>(pipe), destroy)) return;
    ASC_ENTER_REPEATABLE(destroy ? "TPipe::Destroy" : "TPipe::Reset");
    Core& here = core();
    if (!here.pipe_open || (here.pipe != pipe && destroy)) return;
    close_pipe(destroy != 0);
    if (destroy) here.pipe_open = false;
}

void* asc_pipe_current() {
    if (const auto* noted = ASC_REPEATED(PipeCurrent, 0)) return reinterpret_cast<void*>(noted->result.first);
    if (!core().pipe) fatal("no_pipe", "GetTPipePtr", "GetTPipePtr is called before any TPipe exists");
    current->repetition.gave(reinterpret_cast<uint64_t>(core().pipe));
    return core().pipe;
}

uint32_t asc_buffer_init(uint8_t position, uint64_t bytes) {
    if (const auto* noted = ASC_REPEATED(BufferInit, position, bytes)) {
        return static_cast<uint32_t>(noted->result.first);
    }
    ASC_ENTER_REPEATABLE("InitBuffer");
    const uint32_t address = allocate(position, bytes, "buffer");
    current->repetition.gave(address);
    return address;
}

uint32_t asc_que_init(uint8_t src, uint8_t dst, uint32_t number, uint64_t bytes, uint64_t base, uint8_t has_base) {
    if (const auto* noted = ASC_REPEATED(QueueInit, src, dst, number, bytes, base, has_base)) {
        return static_cast<uint32_t>(noted->result.first);
    }
    ASC_ENTER_REPEATABLE("InitBuffer");
    Core& here = core();
    const uint8_t position = home_of(src, dst);
    const auto number_of_queue = static_cast<int32_t>(here.queues.size());
    Queue made{src, dst, filler_of(src, dst), consumer_of(dst == kGm ? 10 : dst), memory_of(position), 0, {}, {}, 0};
    if (number == 0) violation("buffer_empty", 1, "InitBuffer", "InitBuffer gives a queue no buffers");
    made.bytes = static_cast<uint32_t>(round_up(bytes));
    for (uint32_t i = 0; i < number; ++i) {
        QueueBuffer buffer;
        if (has_base) {
            buffer.address = static_cast<uint32_t>(base + uint64_t{i} * made.bytes);
            check_range(made.memory, buffer.address, uint64_t{buffer.address} + made.bytes, "InitBuffer");
        } else {
            buffer.address = allocate(position, bytes, "queue buffer");
            BufferRange& range = here.ranges[static_cast<size_t>(made.memory)].back();
            range.queue = number_of_queue;
            range.buffer = static_cast<int32_t>(i);
        }
        made.buffers.push_back(buffer);
    }
    here.queues.push_back(std::move(made));
    current->repetition.gave(here.queues.size());
    return static_cast<uint32_t>(here.queues.size());
}

void asc_que_place(uint32_t handle, uint32_t index, uint32_t address) {
    if (ASC_REPEATED(QueuePlace, handle, index, address)) return;
    ASC_ENTER_REPEATABLE("InitBufHandle");
    Queue& of = queue(handle, "InitBufHandle");
    if (index >= of.buffers.size()) {
        fatal("queue_uninitialised", "InitBufHandle", "InitBufHandle of buffer %u of a %s", index,
              describe(of).c_str());
    }
    check_range(of.memory, address, uint64_t{address} + of.bytes, "InitBufHandle");
    of.buffers[index].address = address;
}

void asc_pool_reset(uint8_t position, uint32_t begin, uint32_t end) {
    if (ASC_REPEATED(PoolReset, position, begin, end)) return;
    ASC_ENTER_REPEATABLE("TBufPool::Reset");
    for (Queue& each : core().queues) {
        if (each.memory != memory_of(position)) continue;
        for (QueueBuffer& buffer : each.buffers) {
            if (buffer.address >= begin && buffer.address < end) wait_free(buffer);
        }
    }
}

uint32_t asc_que_alloc(uint32_t handle, uint32_t* bytes) {
    if (const auto* noted = ASC_REPEATED(QueueAlloc, handle)) {
        *bytes = static_cast<uint32_t>(noted->result.second);
        return static_cast<uint32_t>(noted->result.first);
    }
    ASC_ENTER_REPEATABLE("AllocTensor");
    Queue& of = queue(handle, "AllocTensor");
    *bytes = of.bytes;
    for (size_t i = 0; i < of.buffers.size(); ++i) {
        const size_t index = (of.next + i) % of.buffers.size();
        QueueBuffer& buffer = of.buffers[index];
        if (buffer.state != BufferState::Free) continue;
        wait_free(buffer);
        buffer.state = BufferState::Allocated;
        of.next = static_cast<uint32_t>((index + 1) % of.buffers.size());
        current->repetition.gave(buffer.address, of.bytes);
        return buffer.address;
    }
    Report out{"queue_alloc"};
    out.buffer = describe(of);
    out.message = format(
        "AllocTensor finds no free buffer in a %s: a FreeTensor is missing, or the queue needs more "
        "buffers",
        out.buffer.c_str());
    report_fatal(out);
}

void asc_que_enque(uint32_t handle, uint32_t address) {
    if (ASC_REPEATED(Enqueue, handle, address)) return;
    ASC_ENTER_REPEATABLE("EnQue");
    Queue& of = queue(handle, "EnQue");
    enqueue(of, address, of.producer, of.consumer);
}

void asc_que_enque_between(uint32_t handle, uint32_t address, uint8_t src, uint8_t dst) {
    if (ASC_REPEATED(EnqueueBetween, handle, address, src, dst)) return;
    ASC_ENTER_REPEATABLE("EnQue");
    Queue& of = queue(handle, "EnQue");
    // The local end of a transfer from or to global memory says both pipes.
    if (src == kGm && dst != kGm) return enqueue(of, address, producer_of(dst), consumer_of(dst));
    if (dst == kGm && src != kGm) return enqueue(of, address, producer_of(src), consumer_of(src));
    enqueue(of, address, of.producer, of.consumer);
}

uint32_t asc_que_deque(uint32_t handle, uint32_t* bytes) {
    if (const auto* noted = ASC_REPEATED(Dequeue, handle)) {
        *bytes = static_cast<uint32_t>(noted->result.second);
        return static_cast<uint32_t>(noted->result.first);
    }
    ASC_ENTER_REPEATABLE("DeQue");
    Queue& of = queue(handle, "DeQue");
    if (of.queued.empty()) {
        Report out{"queue_deque"};
        out.buffer = describe(of);
        out.message = format("DeQue on an empty %s: an EnQue is missing (the core would hang)", out.buffer.c_str());
        report_fatal(out);
    }
    const BufferHandle first = of.queued.front();
    of.queued.pop_front();
    *bytes = core().queues[static_cast<size_t>(first.queue)].bytes;
    QueueBuffer& buffer = buffer_of(first);
    buffer.state = BufferState::Taken;
    wait_full(buffer);
    current->repetition.gave(buffer.address, *bytes);
    return buffer.address;
}

void asc_que_free(uint32_t handle, uint32_t address) {
    if (ASC_REPEATED(QueueFree, handle, address)) return;
    ASC_ENTER_REPEATABLE("FreeTensor");
    Queue& of = queue(handle, "FreeTensor");
    const std::optional<BufferHandle> buffer_handle = handle_of(of, address);
    if (!buffer_handle) {
        violation("queue_free", 0, "FreeTensor",
                  "FreeTensor of a tensor at %u that is not a buffer of any queue; this is a %s", address,
                  describe(of).c_str());
        return;
    }
    const Queue& owner = core().queues[static_cast<size_t>(buffer_handle->queue)];
    QueueBuffer& buffer = buffer_of(*buffer_handle);
    if (buffer.state == BufferState::Free || buffer.state == BufferState::Queued) {
        violation("queue_free", 0, "FreeTensor", "FreeTensor of a tensor of a %s that %s", describe(owner).c_str(),
                  buffer.state == BufferState::Free ? "is already free" : "is still enqueued");
        return;
    }
    if (&owner != &of && !free_for_other(of, owner)) return;
    buffer.state = BufferState::Free;
    if (of.producer == of.consumer) return;
    buffer.free_from = of.consumer;
    buffer.free_to = of.producer;
    buffer.free_event = take_event(of.consumer, of.producer);
    set_flag(of.consumer, of.producer, buffer.free_event, false);
}

uint8_t asc_que_state(uint32_t handle, uint32_t address) {
    if (const auto* noted = ASC_REPEATED(QueueState, handle, address)) {
        return static_cast<uint8_t>(noted->result.first);
    }
    ASC_ENTER_REPEATABLE("TQue::GetState");
    const Queue& of = queue(handle, "TQue::GetState");
    const std::optional<BufferHandle> buffer = handle_of(of, address);
    const uint8_t state = buffer ? static_cast<uint8_t>(buffer_of(*buffer).state) : 0;
    current->repetition.gave(state);
    return state;
}

void asc_que_forget(uint32_t handle) {
    if (ASC_REPEATED(QueueForget, handle)) return;
    ASC_ENTER_REPEATABLE("FreeAllEvent");
    Queue& of = queue(handle, "FreeAllEvent");
    for (QueueBuffer& buffer : of.buffers) wait_free(buffer);
}

uint32_t asc_que_query(uint32_t handle, uint8_t what) {
    if (const auto* noted = ASC_REPEATED(QueueQuery, handle, what)) return static_cast<uint32_t>(noted->result.first);
    ASC_ENTER_REPEATABLE("TQue");
    const uint32_t answer = ask(queue(handle, "TQue"), what);
    current->repetition.gave(answer);
    return answer;
}
}
