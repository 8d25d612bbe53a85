// The table of all operations. Each group of operations is a file that returns its part; a new operation touches nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/measure/kernels.hpp"
#include "bench/measure/place.hpp"

namespace kumihimo::bench {

struct Operation {
    const char* name;
    std::unique_ptr<Kernel> (*make)(const Place& place, std::int64_t bytes);  // collective
    // Memory of the busiest rank, in blocks of the message's size: blocks + blocks_per_rank * ranks.
    int blocks, blocks_per_rank;
    int least_ranks = 1;
    bool sized = true;           // has a message; Barrier has none
    bool elements = false;       // messages are of whole elements of 4 bytes
    bool displacements = false;  // the ranks' blocks are found by int displacements, so all of them are less than 2 GiB
    bool overlaps = false;       // nonblocking: measured also beside a computation
    int calls = 1;               // messages one after the other in a call: its time is divided by that (PingPong: 2)
    int participants = 0;        // ranks whose times count; 0: all
    enum { everybody, root, others } receives = everybody;
};

std::span<const Operation> point_to_point_operations();
std::span<const Operation> block_operations();
std::span<const Operation> reduction_operations();
std::span<const Operation> nonblocking_operations();
std::span<const Operation> one_sided_operations();

const Operation& find_operation(const std::string& name);  // throws base::Error

// Why this operation is not measured in this size; empty: it is.
std::string obstacle(const Operation& operation, const Place& place, std::int64_t bytes, std::int64_t memory_bytes);

}  // namespace kumihimo::bench
