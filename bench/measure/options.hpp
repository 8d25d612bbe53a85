// What one launch measures: its command line, written by bench/suite/launch.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kumihimo::bench {

enum class Start {
    window,   // each call begins on all ranks at a time agreed on before
    barrier,  // each call begins when a barrier has been left
    loop,     // calls follow each other without a pause, as in IMB and OSU; a sample is the mean of a stretch of them
};

struct Options {
    std::vector<std::string> operations;
    std::vector<std::int64_t> sizes_bytes;
    std::vector<int> shape;  // extents of the node shape, first axis fastest; empty: one axis of all ranks
    std::int64_t memory_bytes = std::int64_t{1} << 30;  // for the buffers of one rank
    double seconds = 0.05;                              // for the samples of one cell
    int repetitions = 200;                              // at most, for one cell
    double budget_seconds = 0;                          // for all cells of the launch; 0: as long as it takes
    Start start = Start::window;
    bool roots_in_turn = false;  // call i has rank i (modulo their number) as its root, as in IMB; else rank 0
    std::string output;          // where rank 0 writes
};

// Throws base::Error on words it does not understand.
Options parse_options(int argc, char** argv);

}  // namespace kumihimo::bench
