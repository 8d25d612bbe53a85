// What a node keeps of a file that its ranks, and the nodes behind, read: a chunk comes once from the next node towards the
// server and is local from then on (paper 003, section 2.1: reading in Catwalk). Records on their way to the server change the
// chunks that they pass, so everybody reads what they wrote; drains drop all, since others' records come with them.
#pragma once

#include <list>
#include <map>

#include "iod/process/ask.hpp"

namespace kumihimo::iod::process {

class Stager {
public:
    static constexpr Offset chunk_bytes = Offset{1} << 20;
    using Fetch = std::function<void(Offset offset, std::uint64_t bytes, Answered)>;  // from the next node

    // capacity_bytes: of the chunks that are kept, the least recently read ones go first.
    Stager(std::size_t capacity_bytes, Offset stripe, Fetch fetch);

    void read(Offset offset, std::uint64_t bytes, Answered answered);
    void patch(Offset offset, std::span<const std::byte> data);
    void drop();
    std::uint64_t fetched() const { return fetched_; }  // chunks

private:
    struct Piece {
        Offset begin, end;  // within one chunk
        int attempts = 0;
        Answered answered;
    };
    struct Chunk {
        Payload bytes;  // fewer than a chunk has: the file ended there
        std::list<Offset>::iterator recency;
    };
    struct Coming {
        bool stale = false;  // something was written there meanwhile
        std::vector<Piece> waiting;
    };

    Offset chunk_of(Offset offset) const { return offset / chunk_ * chunk_; }
    void read_piece(Piece&& piece);
    void arrived(Offset chunk, Reply&& reply);
    void keep(Offset chunk, Payload&& bytes);
    void change(Offset chunk, Offset offset, std::span<const std::byte> data);
    static void answer(const Piece& piece, Offset chunk, const Payload& bytes);

    std::size_t most_chunks_;
    Offset chunk_;
    Fetch fetch_;
    std::map<Offset, Chunk> chunks_;
    std::map<Offset, Coming> coming_;
    std::list<Offset> recent_;  // first: most recently read
    std::uint64_t fetched_ = 0;
};

}  // namespace kumihimo::iod::process
