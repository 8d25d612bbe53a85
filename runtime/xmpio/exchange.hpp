// The two ways in which elements travel between the arrays of many nodes and one file.
//   Runs:    where each node's pieces are long in the file, it moves them itself, from and to the array's own memory.
//   Domains: else the section is cut into one stretch for each node, which moves its stretch in a few long calls and
//            collects the elements from the others (spreads them to the others): by plain copies where their memory
//            is mapped here, by messages where it is not.
// A node whose file system fails goes on exchanging, so that nobody waits for ever; the caller agrees on the result.
#pragma once

#include <vector>

#include "runtime/xmpio/file.hpp"
#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpio {

class Exchange {
public:
    // position: of the section's first byte in the file. direct: every owner's memory is mapped on every node.
    Exchange(const File& file, const execution::Array& array, const Section& section, Index position, bool direct);
    // Collective over the array's node set; local results.
    std::optional<Failure> write();
    std::optional<Failure> read();
    Index own_bytes() const;  // of this node's part

private:
    struct Interval {
        Index begin, end;
    };
    bool runs_are_long() const;
    bool writer(int number) const;  // the first of the replicas of its part
    const Part& part(int number);
    Interval chunk(int number, Index round) const;  // what that node moves in that round
    void cut();
    template <typename Visit>
    void for_each_own_piece(Visit&& visit);  // elements in a row in the file, and in memory too if a run is given
    Index offset(Index element) const { return position_ + element * element_bytes_; }

    std::optional<Failure> write_runs();
    std::optional<Failure> read_runs();
    bool read_scattered(Index begin, Index end);  // straight to its places in memory; false: not possible, nothing lost
    std::optional<Failure> read_all(Index position, std::byte* to, Index bytes) const;
    std::optional<Failure> read_packed(Index begin, Index end);
    std::optional<Failure> write_packed(Index begin, Index end);
    std::optional<Failure> write_domains();
    std::optional<Failure> read_domains();
    void collect(Interval mine, Index round);  // into the buffer, from the owners
    void spread(Interval mine, Index round);   // from the buffer, to the owners

    const File& file_;
    const execution::Array& array_;
    const sets::ArrayMapping& mapping_;
    Index position_, element_bytes_, total_, chunk_elements_;
    bool direct_;
    int me_, nodes_;
    const Section& section_;
    std::vector<int> replicated_;
    std::vector<std::optional<Part>> parts_;
    std::vector<int> ranks_;         // of the array's nodes in the file's communicator
    std::vector<Index> boundaries_;  // of the domains
    Index rounds_ = 0;
    std::byte* buffer_ = nullptr;
};

}  // namespace kumihimo::xmpio
