// Redistribution of an array: gmove against hand-written MPI_Alltoallv with packing. One launch measures every case and prints
// its records; bench/gmove.py runs several and compares.
//   mpiexec -n 2 bench_gmove_openmpi [SECONDS FOR EACH CASE [LARGEST ARRAY IN BYTES]]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/distributed_array.hpp"
#include "bench/turns.hpp"
#include "kumihimo/generated.h"

namespace {

int rank = 0, size = 1;

// An array of doubles with one distributed dimension.
struct Distributed : bench::DistributedArray {
    Distributed(const std::vector<XMP_Index>& extents, int distributed, const XMP_Format& format)
        : DistributedArray({size}, extents, only(extents.size(), distributed), [&](int) { return format; }) {}

private:
    static std::vector<int> only(std::size_t rank, int distributed) {
        std::vector<int> onto(rank, -1);
        onto[static_cast<std::size_t>(distributed)] = 0;
        return onto;
    }
};

// left[:]... = right[:]...
void gmove(const Distributed& left, const Distributed& right, int dimensions) {
    static const XMP_Triplet whole[] = {XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1), XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1)};
    const XMP_Side to = {"left", left.array(), nullptr, 0, 0, dimensions, whole, nullptr, nullptr};
    const XMP_Side from = {"right", right.array(), nullptr, 0, 0, dimensions, whole, nullptr, nullptr};
    XMP_Gmove(XMP_SITE("gmove"), &to, &from, nullptr);
}

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "bench_gmove: %s computed something else\n", what);
    std::exit(1);
}

// Rows to columns: a[n][n] distributed over its rows becomes one distributed over its columns.
void transposition(XMP_Index n, double seconds) {
    const XMP_Format block = XMP_FORMAT_BLOCK(0, 0);
    const Distributed rows({n, n}, 0, block), columns({n, n}, 1, block);
    const XMP_Index each = n / size;  // n is a multiple of the number of nodes
    const auto part = static_cast<int>(each * each);
    std::vector<double> out(static_cast<std::size_t>(n * each));
    std::vector<int> counts(static_cast<std::size_t>(size), part), places(counts.size());
    for (int p = 0; p < size; ++p) places[static_cast<std::size_t>(p)] = p * part;
    for (XMP_Index i = 0; i < n * each; ++i) rows.block()[i] = static_cast<double>(rank * n * each + i);
    const auto by_hand = [&] {
        double* place = out.data();
        for (int p = 0; p < size; ++p)
            for (XMP_Index i = 0; i < each; ++i, place += each) std::copy_n(rows.block() + i * n + p * each, each, place);
        MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_DOUBLE, columns.block(), counts.data(), places.data(),
                      MPI_DOUBLE, MPI_COMM_WORLD);  // rows of all nodes, one after the other: the order of the block
    };
    const auto check = [&](const char* what) {
        for (XMP_Index i = 0; i < n; ++i)
            for (XMP_Index j = 0; j < each; ++j)
                if (columns.block()[i * each + j] != static_cast<double>(i * n + rank * each + j)) fail(what);
        std::fill_n(columns.block(), n * each, -1.0);
    };
    const auto by_gmove = [&] { gmove(columns, rows, 2); };
    by_hand(), check("alltoallv");
    by_gmove(), check("gmove");
    bench::take_turns("rows to columns", n * n * 8, {{"gmove", by_gmove}, {"alltoallv", by_hand}, {"gmove again", by_gmove}},
                      seconds);
}

// A vector: block to cyclic.
void block_to_cyclic(XMP_Index n, double seconds) {
    const XMP_Format block = XMP_FORMAT_BLOCK(0, 0), cyclic = XMP_FORMAT_CYCLIC(0, 1);
    const Distributed from({n}, 0, block), to({n}, 0, cyclic);
    const XMP_Index each = n / size, mine = rank * each;  // n is a multiple of the square of the number of nodes
    const auto part = static_cast<int>(each / size);
    std::vector<double> out(static_cast<std::size_t>(each));
    std::vector<int> counts(static_cast<std::size_t>(size), part), places(counts.size());
    for (int p = 0; p < size; ++p) places[static_cast<std::size_t>(p)] = p * part;
    for (XMP_Index i = 0; i < each; ++i) from.block()[i] = static_cast<double>(mine + i);
    const auto by_hand = [&] {
        double* place = out.data();
        for (int p = 0; p < size; ++p)
            for (XMP_Index i = p; i < each; i += size) *place++ = from.block()[i];
        MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_DOUBLE, to.block(), counts.data(), places.data(),
                      MPI_DOUBLE, MPI_COMM_WORLD);
    };
    const auto check = [&](const char* what) {
        for (XMP_Index i = 0; i < each; ++i)
            if (to.block()[i] != static_cast<double>(i * size + rank)) fail(what);
        std::fill_n(to.block(), each, -1.0);
    };
    const auto by_gmove = [&] { gmove(to, from, 1); };
    by_hand(), check("alltoallv");
    by_gmove(), check("gmove");
    bench::take_turns("block to cyclic", n * 8, {{"gmove", by_gmove}, {"alltoallv", by_hand}, {"gmove again", by_gmove}},
                      seconds);
}

// Rows of a square, cyclic(3) to block: each row goes as a whole.
void cyclic3_to_block(XMP_Index n, double seconds) {
    const XMP_Format cyclic = XMP_FORMAT_CYCLIC(0, 3), block = XMP_FORMAT_BLOCK(0, 0);
    const Distributed from({n, n}, 0, cyclic), to({n, n}, 0, block);
    const XMP_Index each = (n + size - 1) / size;
    const auto place_of = [](XMP_Index row) { return row / (3 * size) * 3 + row % 3; };  // in its owner's block
    std::vector<int> out_counts(static_cast<std::size_t>(size)), in_counts(out_counts), out_places(out_counts),
        in_places(out_counts);
    for (XMP_Index row = 0; row < n; ++row) {
        const XMP_Index sender = row / 3 % size, receiver = row / each;
        if (sender == rank) out_counts[static_cast<std::size_t>(receiver)] += static_cast<int>(n);
        if (receiver == rank) in_counts[static_cast<std::size_t>(sender)] += static_cast<int>(n);
        if (sender == rank) std::fill_n(from.block() + place_of(row) * n, n, static_cast<double>(row));
    }
    std::exclusive_scan(out_counts.begin(), out_counts.end(), out_places.begin(), 0);
    std::exclusive_scan(in_counts.begin(), in_counts.end(), in_places.begin(), 0);
    const XMP_Index first = rank * each, end = std::min(n, first + each);
    std::vector<double> in(static_cast<std::size_t>(std::max<XMP_Index>(end - first, 0) * n));
    const auto by_hand = [&] {  // rows of a sender come in ascending order: its block is the message
        MPI_Alltoallv(from.block(), out_counts.data(), out_places.data(), MPI_DOUBLE, in.data(), in_counts.data(),
                      in_places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
        std::vector<int> next = in_places;
        for (XMP_Index row = first; row < end; ++row) {
            int& place = next[static_cast<std::size_t>(row / 3 % size)];
            std::copy_n(in.data() + place, n, to.block() + (row - first) * n);
            place += static_cast<int>(n);
        }
    };
    const auto check = [&](const char* what) {
        for (XMP_Index row = first; row < end; ++row)
            for (XMP_Index j = 0; j < n; ++j)
                if (to.block()[(row - first) * n + j] != static_cast<double>(row)) fail(what);
        std::fill_n(to.block(), in.size(), -1.0);
    };
    const auto by_gmove = [&] { gmove(to, from, 2); };
    by_hand(), check("alltoallv");
    by_gmove(), check("gmove");
    bench::take_turns("cyclic(3) to block", n * n * 8, {{"gmove", by_gmove}, {"alltoallv", by_hand}, {"gmove again", by_gmove}},
                      seconds);
}

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
    const double largest = argc > 2 ? std::atof(argv[2]) : 1e9;  // bytes of an array
    const auto fits = [&](XMP_Index elements) { return static_cast<double>(elements) * sizeof(double) <= largest; };
    const XMP_Index square = size * size;
    for (const XMP_Index n : {8, 64, 256, 1024, 2048, 4096})
        if (const XMP_Index side = n * size / 2; fits(side * side)) transposition(side, seconds);
    if (fits(4096 * 4096)) cyclic3_to_block(4096, seconds);
    for (const XMP_Index n : {16, 1024, 16384, 262144, 2097152})
        if (const XMP_Index all = std::max(n / square, XMP_Index{1}) * square; fits(all)) block_to_cyclic(all, seconds);
    if (rank == 0) bench_end();
    return 0;
}
