// Who touched each 32 B block of a local memory last, per pipe, as sequence numbers of instructions. Memory is cut in
// chunks of 64 blocks; a chunk whose blocks all have the same history keeps it once, because nearly all tile
// operations cover whole chunks.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ascendopt::rt {

constexpr int kPipes = 7;
constexpr uint32_t kBlock = 32;

// Sequence numbers of the last write and read by each pipe. Index 7 pads the array for vector code.
struct Stamp {
    std::array<uint32_t, 8> write{};
    std::array<uint32_t, 8> read{};

    uint32_t last_write() const {
        uint32_t last = 0;
        for (uint32_t at : write) last = at > last ? at : last;
        return last;
    }
};

class Shadow {
  public:
    explicit Shadow(uint32_t bytes) : chunks_((bytes / kBlock + kChunk - 1) / kChunk) {}

    // Calls visit(stamp) for stamps that together cover the blocks of [begin, end); visit may change the stamp.
    template <typename Visit>
    void each(uint32_t begin, uint32_t end, Visit&& visit) {
        uint32_t block = begin / kBlock;
        const uint32_t last = (end + kBlock - 1) / kBlock;
        while (block < last) {
            Chunk& chunk = chunks_[block / kChunk];
            const uint32_t from = block % kChunk;
            const uint32_t to = last - block + from < kChunk ? last - block + from : kChunk;
            if (from == 0 && to == kChunk && !chunk.blocks) {
                visit(chunk.whole);
            } else {
                if (!chunk.blocks) split(chunk);
                for (uint32_t i = from; i < to; ++i) visit((*chunk.blocks)[i]);
                if (from == 0 && to == kChunk) join(chunk);
            }
            block += to - from;
        }
    }

  private:
    static constexpr uint32_t kChunk = 64;
    struct Chunk {
        Stamp whole;
        std::unique_ptr<std::array<Stamp, kChunk>> blocks;
    };

    static void split(Chunk& chunk) {
        chunk.blocks = std::make_unique<std::array<Stamp, kChunk>>();
        chunk.blocks->fill(chunk.whole);
    }
    // After an access over the whole chunk its blocks often agree again.
    static void join(Chunk& chunk) {
        const Stamp& first = (*chunk.blocks)[0];
        for (const Stamp& stamp : *chunk.blocks) {
            if (stamp.write != first.write || stamp.read != first.read) return;
        }
        chunk.whole = first;
        chunk.blocks.reset();
    }

    std::vector<Chunk> chunks_;
};

}  // namespace ascendopt::rt
