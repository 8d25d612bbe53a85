// Inside runtime/memory only: what a segment is made of, and the memory of freed segments that is kept for reuse.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_memory.hpp"
#include "runtime/memory/red_zone.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::memory {

// Where a rank's block lies in its machine's mapping.
struct Slot {
    std::size_t begin = 0;  // of the slot: page-aligned
    std::size_t data = 0;   // of the block in it: staggered
    std::size_t end = 0;
};

// Small blocks of a communicator lie side by side in one mapping: to make a mapping takes three collective calls.
class Shelf {
public:
    Shelf() = default;
    Shelf(std::shared_ptr<const base::Mapping> mapping, std::size_t ranks) : mapping_(std::move(mapping)), taken_(ranks, 0) {}
    static constexpr std::size_t bytes = std::size_t{256} << 10;  // of each rank; memory is taken where it is touched
    static constexpr std::size_t most_block_bytes = bytes / 4;

    // Collective without communication: all ranks say the same. A block of each rank, as places in that rank's part of the
    // shelf; none: it has no room for them. `number` is the allocation's.
    std::vector<Slot> take(const std::vector<std::uint64_t>& bytes_of, std::uint64_t number);
    const std::shared_ptr<const base::Mapping>& mapping() const { return mapping_; }

private:
    std::shared_ptr<const base::Mapping> mapping_;  // of this machine's ranks, one part after the other
    std::vector<std::size_t> taken_;                // of every rank's part
};

class Pool;

struct Segment::State {
    std::vector<std::uint64_t> bytes_of;  // for every rank
    std::vector<std::byte*> direct;       // for every rank
    int my_rank = 0;
    const std::shared_ptr<const base::Mapping> mapping;  // has slots of this machine's ranks, perhaps beside other segments'
    Slot mine;                                           // in it
    std::size_t bytes_here = 0;                          // of this machine's slots
    std::uint64_t number = 0;  // the allocation's sequence number in its communicator: the same on all ranks
    std::string purpose;       // of the first use: equal sizes alone may mean different allocations on different ranks
    std::weak_ptr<Pool> pool;  // gets the state back at the end

    explicit State(std::shared_ptr<const base::Mapping> of_machine) : mapping(std::move(of_machine)) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { allow(slot_begin(), slot_end()); }  // whatever comes to these addresses next

    const std::byte* slot_begin() const { return mapping->data() + mine.begin; }
    const std::byte* slot_end() const { return mapping->data() + mine.end; }
    std::size_t bytes() const { return bytes_of[static_cast<std::size_t>(my_rank)]; }
    std::byte* local() const { return direct[static_cast<std::size_t>(my_rank)]; }
};

// Belongs to a communicator (as an attribute): counts its allocations and keeps its shelf and the latest freed states.
class Pool {
public:
    static std::shared_ptr<Pool> of(MPI_Comm comm);
    std::uint64_t next_number() { return ++allocations_; }
    void put(std::shared_ptr<Segment::State> state);  // drops the oldest beyond the limit
    // The latest of this size and purpose, or null; it stays in the pool until taken.
    const Segment::State* candidate(std::size_t bytes, const std::string& purpose) const;
    std::shared_ptr<Segment::State> take(std::uint64_t number);
    Shelf& shelf() { return shelf_; }  // the one that is not full yet
    void clear() { freed_.clear(), kept_bytes_ = 0, shelf_ = {}; }

private:
    std::uint64_t allocations_ = 0;
    std::list<std::shared_ptr<Segment::State>> freed_;  // latest first
    std::size_t kept_bytes_ = 0;
    Shelf shelf_;
};

}  // namespace kumihimo::memory
