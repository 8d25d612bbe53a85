// The array functions against the same by hand: a SUMMA over the same kernel, a sample sort, a transposition with packing. One
// launch measures every case and prints its records; bench/arrays.py runs several and compares.
//   mpiexec -n 2 bench_arrays_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "bench/distributed_array.hpp"
#include "bench/turns.hpp"
#include "kumihimo/generated.h"
#include "runtime/arrays/multiply.hpp"

namespace {

int rank = 0, size = 1;

// An array of doubles in blocks of all its dimensions.
struct Distributed : bench::DistributedArray {
    Distributed(const std::vector<XMP_Index>& grid, const std::vector<XMP_Index>& extents)
        : DistributedArray(grid, extents, dimensions(extents.size()),
                           [](int d) { return XMP_Format(XMP_FORMAT_BLOCK(d, 0)); }) {}
    xmp_desc_t descriptor() const { return array(); }

private:
    static std::vector<int> dimensions(std::size_t rank) {
        std::vector<int> all(rank);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "bench_arrays: %s computed something else\n", what);
    std::exit(1);
}

// ---- matrix product ----

// Blocks of a grid of nodes; n is a multiple of the numbers of rows and columns, and of the panels' width.
class Summa {
public:
    Summa(XMP_Index n, int grid_rows, int grid_columns) : rows_(n / grid_rows), columns_(n / grid_columns), n_(n) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / grid_columns, rank, &along_row_);
        MPI_Comm_split(MPI_COMM_WORLD, rank % grid_columns, rank, &along_column_);
        a_panel_.resize(static_cast<std::size_t>(rows_ * width));
        b_panel_.resize(static_cast<std::size_t>(columns_ * width));
    }
    ~Summa() {
        MPI_Comm_free(&along_row_);
        MPI_Comm_free(&along_column_);
    }
    void multiply(const double* a, const double* b, double* x) {
        const kumihimo::arrays::Multiply kernel = kumihimo::arrays::multiply_of(XMP_TYPE_DOUBLE);
        std::fill_n(x, rows_ * columns_, 0.0);
        for (XMP_Index done = 0, now; done < n_; done += now) {  // a panel lies on one node of each row and column
            now = std::min({width, columns_ - done % columns_, rows_ - done % rows_});
            broadcast(a + done % columns_, columns_, rows_, now, static_cast<int>(done / columns_), along_row_, a_panel_);
            broadcast(b + done % rows_ * columns_, columns_, now, columns_, static_cast<int>(done / rows_), along_column_,
                      b_panel_);
            kernel({rows_, columns_, now, a_panel_.data(), now, b_panel_.data(), columns_, x, columns_});
        }
    }

private:
    static constexpr XMP_Index width = 256;
    static void broadcast(const double* from, XMP_Index row, XMP_Index rows, XMP_Index columns, int root, MPI_Comm comm,
                          std::vector<double>& panel) {
        int me = 0;
        MPI_Comm_rank(comm, &me);
        if (me == root)
            for (XMP_Index i = 0; i < rows; ++i) std::copy_n(from + i * row, columns, panel.data() + i * columns);
        MPI_Bcast(panel.data(), static_cast<int>(rows * columns), MPI_DOUBLE, root, comm);
    }

    XMP_Index rows_, columns_, n_;
    MPI_Comm along_row_, along_column_;
    std::vector<double> a_panel_, b_panel_;
};

void matrix_product(XMP_Index n, double seconds) {
    int grid[2] = {0, 0};
    MPI_Dims_create(size, 2, grid);
    const std::vector<XMP_Index> nodes = {grid[0], grid[1]};
    const Distributed a(nodes, {n, n}), b(nodes, {n, n}), x(nodes, {n, n});
    const auto count = static_cast<std::size_t>(n / grid[0] * (n / grid[1]));
    for (std::size_t i = 0; i < count; ++i) {
        a.block()[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(rank)) % 11);
        b.block()[i] = static_cast<double>((i * 3 + static_cast<std::size_t>(rank)) % 13);
    }
    Summa summa(n, grid[0], grid[1]);
    const auto by_hand = [&] { summa.multiply(a.block(), b.block(), x.block()); };
    const auto by_function = [&] { xmp_matmul(x.descriptor(), a.descriptor(), b.descriptor()); };
    by_hand();
    const std::vector<double> expected(x.block(), x.block() + count);
    std::fill_n(x.block(), count, -1.0);
    by_function();
    if (!std::equal(expected.begin(), expected.end(), x.block())) fail("xmp_matmul");
    bench::take_turns("matrix product", n * n * 8,
                      {{"function", by_function}, {"by hand", by_hand}, {"function again", by_function}}, seconds);
}

// ---- sort ----

// Each node's block to its place: sorted here, dealt out at splitters that samples give, merged, and evened out.
class HandSort {
public:
    void sort(const double* from, double* to, XMP_Index each) {
        own_.assign(from, from + each);
        std::sort(own_.begin(), own_.end());
        std::vector<double> samples, all(static_cast<std::size_t>(size) * per_node);
        for (int k = 0; k < per_node; ++k) samples.push_back(own_[static_cast<std::size_t>(k * each / per_node)]);
        MPI_Allgather(samples.data(), per_node, MPI_DOUBLE, all.data(), per_node, MPI_DOUBLE, MPI_COMM_WORLD);
        std::sort(all.begin(), all.end());
        std::vector<int> counts;
        auto begin = own_.begin();
        for (int p = 1; p <= size; ++p) {
            const auto end =
                p == size ? own_.end() : std::lower_bound(begin, own_.end(), all[static_cast<std::size_t>(p * per_node)]);
            counts.push_back(static_cast<int>(end - begin));
            begin = end;
        }
        deal(own_, counts, dealt_);
        merge();
        even_out(to, each);
    }

private:
    static constexpr int per_node = 64;

    void deal(const std::vector<double>& from, const std::vector<int>& counts, std::vector<double>& to) {
        received_.resize(counts.size());
        MPI_Alltoall(counts.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::vector<int> out(counts.size(), 0), in(counts.size(), 0);
        std::exclusive_scan(counts.begin(), counts.end(), out.begin(), 0);
        std::exclusive_scan(received_.begin(), received_.end(), in.begin(), 0);
        to.resize(static_cast<std::size_t>(in.back() + received_.back()));
        MPI_Alltoallv(from.data(), counts.data(), out.data(), MPI_DOUBLE, to.data(), received_.data(), in.data(), MPI_DOUBLE,
                      MPI_COMM_WORLD);
    }
    void merge() {
        auto middle = dealt_.begin() + received_.front();
        for (std::size_t run = 1; run < received_.size(); ++run) {
            std::inplace_merge(dealt_.begin(), middle, middle + received_[run]);
            middle += received_[run];
        }
    }
    void even_out(double* to, XMP_Index each) {
        long long mine = static_cast<long long>(dealt_.size()), first = 0;
        MPI_Exscan(&mine, &first, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) first = 0;
        std::vector<int> counts;
        for (int p = 0; p < size; ++p)
            counts.push_back(static_cast<int>(
                std::max(0LL, std::min<long long>(first + mine, (p + 1) * each) - std::max<long long>(first, p * each))));
        deal(dealt_, counts, own_);
        std::copy(own_.begin(), own_.end(), to);
    }

    std::vector<double> own_, dealt_;
    std::vector<int> received_;
};

void sorting(XMP_Index each, double seconds) {
    const Distributed from({size}, {each * size}), to({size}, {each * size});
    std::mt19937_64 random(17u + static_cast<unsigned>(rank));
    std::uniform_real_distribution<double> numbers;
    for (XMP_Index i = 0; i < each; ++i) from.block()[i] = numbers(random);
    HandSort hand;
    const auto by_hand = [&] { hand.sort(from.block(), to.block(), each); };
    const auto by_function = [&] { xmp_sort_up(to.descriptor(), from.descriptor()); };
    by_hand();
    const std::vector<double> expected(to.block(), to.block() + each);
    std::fill_n(to.block(), each, -1.0);
    by_function();
    if (!std::equal(expected.begin(), expected.end(), to.block())) fail("xmp_sort_up");
    bench::take_turns("sort", each * size * 8,
                      {{"function", by_function}, {"by hand", by_hand}, {"function again", by_function}}, seconds);
}

// ---- transposition ----

// Rows on nodes; each node's square for another is transposed while it is packed.
void transposition(XMP_Index each, double seconds) {
    const XMP_Index n = each * size;
    const Distributed a({size, 1}, {n, n}), x({size, 1}, {n, n});
    const auto count = static_cast<std::size_t>(n * each);
    for (std::size_t i = 0; i < count; ++i) a.block()[i] = static_cast<double>(static_cast<std::size_t>(rank) * count + i);
    std::vector<double> out(count), in(count);
    const auto by_hand = [&] {
        constexpr XMP_Index tile = 32;
        double* square = out.data();
        for (int p = 0; p < size; ++p, square += each * each)
            for (XMP_Index i0 = 0; i0 < each; i0 += tile)
                for (XMP_Index j0 = 0; j0 < each; j0 += tile)
                    for (XMP_Index j = j0; j < std::min(each, j0 + tile); ++j)
                        for (XMP_Index i = i0; i < std::min(each, i0 + tile); ++i)
                            square[j * each + i] = a.block()[i * n + p * each + j];
        MPI_Alltoall(out.data(), static_cast<int>(each * each), MPI_DOUBLE, in.data(), static_cast<int>(each * each),
                     MPI_DOUBLE, MPI_COMM_WORLD);
        for (int p = 0; p < size; ++p)
            for (XMP_Index i = 0; i < each; ++i)
                std::copy_n(in.data() + p * each * each + i * each, each, x.block() + i * n + p * each);
    };
    const auto by_function = [&] { xmp_transpose(x.descriptor(), a.descriptor(), 0); };
    by_hand();
    const std::vector<double> expected(x.block(), x.block() + count);
    std::fill_n(x.block(), count, -1.0);
    by_function();
    if (!std::equal(expected.begin(), expected.end(), x.block())) fail("xmp_transpose");
    bench::take_turns("transposition", n * n * 8,
                      {{"function", by_function}, {"by hand", by_hand}, {"function again", by_function}}, seconds);
}

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
    for (const XMP_Index n : {128, 256, 512, 1024}) matrix_product(n * size, seconds);
    for (const XMP_Index each : {1000, 100000, 1000000}) sorting(each, seconds);
    for (const XMP_Index each : {64, 256, 1024, 2048}) transposition(each, seconds);
    if (rank == 0) bench_end();
    return 0;
}
