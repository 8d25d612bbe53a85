// What a host keeps of a file that its ranks, and the hosts behind, read: a chunk comes once from the next host towards the
// server and is local from then on (the paper on Catwalk, section 2.1: reading in Catwalk), in memory as long as there is room,
// then on the host's disk. Records on their way to the server change the chunks that they pass, so everybody reads what they
// wrote; drains drop all, since others' records come with them.
#pragma once

#include <deque>
#include <list>
#include <map>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/local_copy.hpp"

namespace kumihimo::iod::process {

struct StagerOptions {
    std::size_t capacity_bytes;  // of all chunks in memory, those on their way included
    Offset stripe;               // chunks do not go beyond it: what follows is another server's
    std::string directory;       // of the copy on disk (LocalCopy)
};

class Stager {
public:
    using Fetch = std::function<void(Offset offset, std::uint64_t bytes, Answered)>;  // from the next host

    Stager(const StagerOptions& options, Fetch fetch);

    void read(Offset offset, std::uint64_t bytes, Answered answered);
    void patch(Offset offset, std::span<const std::byte> data);
    void drop();
    std::uint64_t fetched() const { return fetched_; }  // chunks
    std::uint64_t on_disk_bytes() const { return disk_.written_bytes(); }
    Offset chunk_bytes() const { return chunk_; }

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
        bool asked = false;
        bool stale = false;  // something was written there meanwhile
        std::vector<Piece> waiting;
    };

    Offset chunk_of(Offset offset) const;
    Offset end_of(Offset chunk) const;
    void read_piece(Piece&& piece);
    bool read_from_disk(const Piece& piece, Offset chunk);
    void fetch_more();
    void arrived(Offset chunk, Reply&& reply);
    void keep(Offset chunk, Payload&& bytes);
    void move_to_disk();
    void change(Offset chunk, Offset offset, std::span<const std::byte> data);
    static void answer(const Piece& piece, Offset chunk, const Payload& bytes);

    std::size_t most_chunks_;
    Offset chunk_, stripe_;
    Fetch fetch_;
    std::map<Offset, Chunk> chunks_;
    std::map<Offset, std::size_t> on_disk_;  // bytes of each chunk there, at its place in the file
    std::map<Offset, Coming> coming_;
    std::deque<Offset> wanted_;  // of those that are coming: not asked for yet
    std::list<Offset> recent_;   // first: most recently read
    LocalCopy disk_;
    std::uint64_t fetched_ = 0;
};

}  // namespace kumihimo::iod::process
