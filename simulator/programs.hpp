// What all ranks run: a collective operation by one algorithm, or one of the point-to-point measurements, call after call.
#pragma once

#include <string>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::simulator {

// How a rank's schedule repeats itself: some steps before, then rounds of equal ones.
struct Course {
    enum class Kind : std::uint8_t {
        irregular,
        pieces,     // that follow each other through a pipeline
        exchanges,  // one of each rank with each other one
    } kind = Kind::irregular;
    std::int64_t before = 0, each = 0;  // steps
    double rounds = 0;                  // the same on all ranks; of pieces the last one may be a shorter one
    std::int64_t under_way = 1;         // rounds of exchanges at a time
    bool even = false;                  // any run of rounds has near and far ranks as all rounds have
};

class Program {
public:
    // operation: as `kumihimo bench` names it ("Bcast", "Allgatherv", "Sendrecv"); algorithm: of collectives/ (empty where
    // there is only one way). call: shape, segment and work space; bytes of the vector or of one block. blocks: of v forms, the
    // bytes of each rank's block, or of that between ranks f and t number (f + t) modulo the ranks; empty: all are equal.
    // call.placement: where several ranks share nodes; it outlives this. Throws base::Error.
    Program(const std::string& operation, const std::string& algorithm, collectives::Call call, collectives::Bytes bytes,
            bool roots_in_turn, std::vector<collectives::Bytes> blocks = {});
    // A pattern that has no algorithms.
    Program(collectives::Steps (*pattern)(collectives::Call), collectives::Call call, int rounds = 1)
        : call_(call), pattern_(pattern), roots_in_turn_(false), rounds_(rounds) {}

    int ranks() const { return call_.ranks; }
    // Its messages are signals that network interfaces pass on (machine.hpp).
    bool of_interfaces() const { return of_interfaces_; }
    collectives::Steps steps(int rank, int call) const;
    std::size_t look_ahead(int rank, int call) const;
    // All ranks have so many steps in view, whatever the algorithm asks for; 0: what it asks for.
    void set_ahead(std::size_t steps) { ahead_ = steps; }
    bool takes_part(int rank) const;  // it does something at all
    // What the ranks of one node have to send to others and to receive from them in one call, by whatever algorithm.
    struct Needs {
        collectives::Bytes sends = 0, receives = 0;
    };
    Needs needs(const std::vector<int>& node) const;
    // Each rank sends the same to each other one.
    bool exchanges() const { return algorithm_ != nullptr && call_.operation == collectives::Operation::alltoall && !differ_; }
    Course course(int rank) const;
    collectives::Bytes block_bytes() const { return call_.block_bytes; }
    // The barrier before each call that begins at one: by dissemination, as MPI libraries have it.
    collectives::Steps barrier(int rank) const;
    // Calls count as so many messages one after the other (PingPong: two, of which half the time is told).
    int rounds() const { return rounds_; }

    // About how many messages one call has, and how much memory its steps in view take, from the schedules of some ranks.
    struct Estimate {
        double messages = 0, bytes = 0;
    };
    Estimate estimate() const;

private:
    collectives::Call of(int rank, int call) const;
    void tell_sizes();
    void run_pattern(collectives::Steps (*pattern)(collectives::Call), int rounds, collectives::Bytes bytes);
    std::size_t first_block(int rank) const;

    collectives::Call call_;
    const collectives::Algorithm* algorithm_ = nullptr;
    collectives::Steps (*pattern_)(collectives::Call) = nullptr;
    std::size_t ahead_ = 0;
    bool roots_in_turn_, rooted_ = false, of_interfaces_ = false;
    int rounds_ = 1;
    std::vector<collectives::Bytes> sizes_, offsets_;    // of v forms; of Alltoallv twice, so that a row begins at its rank
    bool differ_ = false;                                // those sizes
    std::vector<std::vector<collectives::Bytes>> told_;  // of each host, for algorithms that ask (Call::told)
};

// Of `kumihimo-simulate list`.
struct Listed {
    std::string operation, algorithm, explanation;
};
std::vector<Listed> programs();

}  // namespace kumihimo::simulator
