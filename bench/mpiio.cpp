// MPI-IO as programs use it, by plain MPI calls: the same binary runs with the MPI library's own files, and with libkumihimo_io
// preloaded. bench/mpiio.py runs and compares them.
//   bench_mpiio DIRECTORY [REPETITIONS [PATTERN ...]]
// Prints its records, "PATTERN write" and "PATTERN read": the slowest rank's time from open to close in each repetition. What
// is read is checked. A pattern `by hand` is the one before it without MPI-IO: MPI_Alltoallv and POSIX.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/records.h"

namespace {

int rank = 0, ranks = 1;

void require(bool well, const char* what) {
    if (well) return;
    std::fprintf(stderr, "bench_mpiio: rank %d: %s failed\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CALL(call) require((call) == MPI_SUCCESS, #call)

using Words = std::vector<std::uint64_t>;
Words numbered(std::size_t bytes) {
    Words words(bytes / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u + static_cast<std::uint64_t>(rank) + 1;
    return words;
}

// An open file; its calls are the patterns' steps.
class File {
public:
    File(const std::string& path, bool writes) : writes_(writes) {
        const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
        CALL(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_));
    }
    ~File() { CALL(MPI_File_close(&file_)); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void view(MPI_Offset displacement, MPI_Datatype type) {
        CALL(MPI_File_set_view(file_, displacement, MPI_BYTE, type, "native", MPI_INFO_NULL));
    }
    void at(MPI_Offset offset, std::byte* data, int bytes, bool together, MPI_Datatype memory = MPI_BYTE) {
        const auto call =
            writes_ ? (together ? calls.write_at_all : calls.write_at) : (together ? calls.read_at_all : calls.read_at);
        int size = 0, moved = 0;
        MPI_Type_size(memory, &size);
        MPI_Status status;
        CALL(call(file_, offset, data, bytes / size, memory, &status));
        MPI_Get_count(&status, MPI_BYTE, &moved);
        require(moved == bytes, "a transfer of all bytes");
    }

private:
    using Call = int (*)(MPI_File, MPI_Offset, std::byte*, int, MPI_Datatype, MPI_Status*);
    struct Calls {
        Call write_at, write_at_all, read_at, read_at_all;
    };
    static constexpr Calls calls = {
        [](MPI_File f, MPI_Offset o, std::byte* d, int n, MPI_Datatype t, MPI_Status* s) {
            return MPI_File_write_at(f, o, d, n, t, s);
        },
        [](MPI_File f, MPI_Offset o, std::byte* d, int n, MPI_Datatype t, MPI_Status* s) {
            return MPI_File_write_at_all(f, o, d, n, t, s);
        },
        [](MPI_File f, MPI_Offset o, std::byte* d, int n, MPI_Datatype t, MPI_Status* s) {
            return MPI_File_read_at(f, o, d, n, t, s);
        },
        [](MPI_File f, MPI_Offset o, std::byte* d, int n, MPI_Datatype t, MPI_Status* s) {
            return MPI_File_read_at_all(f, o, d, n, t, s);
        },
    };
    bool writes_;
    MPI_File file_ = MPI_FILE_NULL;
};

struct Pattern {
    std::string name;
    std::size_t bytes;  // of each rank
    std::function<void(const std::string& path, bool writes, std::byte* data)> run;
};

// As IOR writes: segments, in each a block of every rank, moved by transfers of one size.
Pattern segments(const std::string& name, int transfer, int block, int count, bool together) {
    const auto bytes = static_cast<std::size_t>(block) * static_cast<std::size_t>(count);
    return {name, bytes, [=](const std::string& path, bool writes, std::byte* data) {
                File file(path, writes);
                for (int segment = 0; segment < count; ++segment)
                    for (int done = 0; done < block; done += transfer, data += transfer)
                        file.at((MPI_Offset{segment} * ranks + rank) * block + done, data, transfer, together);
            }};
}

// One collective call for everything, through a view that deals blocks round.
Pattern cyclic(const std::string& name, int block, int count) {
    const auto bytes = static_cast<std::size_t>(block) * static_cast<std::size_t>(count);
    return {name, bytes, [=](const std::string& path, bool writes, std::byte* data) {
                MPI_Datatype type;
                MPI_Type_vector(count, block, block * ranks, MPI_BYTE, &type);
                MPI_Type_commit(&type);
                {
                    File file(path, writes);
                    file.view(MPI_Offset{rank} * block, type);
                    file.at(0, data, static_cast<int>(bytes), true);
                }
                MPI_Type_free(&type);
            }};
}

// Blocks of a four-dimensional array of doubles, in the file in the array's own order. In memory each rank has its block in the
// same order, or transposed: the file's fastest dimension is memory's slowest (pmodels/mpich issue 7935).
struct Grid {
    int sizes[4], counts[4], starts[4], strides[4];  // strides of memory, in elements
    Grid(int points, bool transposed) {
        int processes[4] = {1, 0, 0,
                            0};  // the slowest dimension is left whole, so that every rank has a part of every row of files
        MPI_Dims_create(ranks, 4, processes);
        int rest = rank;
        for (int i = 3; i >= 0; --i) {
            counts[i] = points;
            sizes[i] = points * processes[i];
            starts[i] = rest % processes[i] * points;
            rest /= processes[i];
        }
        for (int i = 0, stride = 1; i < 4; ++i) {
            const int dimension = transposed ? i : 3 - i;
            strides[dimension] = stride;
            stride *= counts[dimension];
        }
    }
    // The whole block, in the file's order.
    MPI_Datatype memory() const {
        MPI_Datatype type;
        MPI_Type_dup(MPI_DOUBLE, &type);
        for (int i = 3; i >= 0; --i) {
            MPI_Datatype inner = type;
            MPI_Type_create_hvector(counts[i], 1, MPI_Aint{8} * strides[i], inner, &type);
            MPI_Type_free(&inner);
        }
        MPI_Type_commit(&type);
        return type;
    }
    std::size_t bytes() const {
        return sizeof(double) * static_cast<std::size_t>(counts[0]) * counts[1] * counts[2] * counts[3];
    }
};

Pattern grid(const std::string& name, int points, bool transposed) {
    const Grid shape(points, transposed);
    return {name, shape.bytes(), [=](const std::string& path, bool writes, std::byte* data) {
                MPI_Datatype type;
                MPI_Type_create_subarray(4, shape.sizes, shape.counts, shape.starts, MPI_ORDER_C, MPI_DOUBLE, &type);
                MPI_Type_commit(&type);
                MPI_Datatype memory = shape.memory();
                {
                    File file(path, writes);
                    file.view(0, type);
                    file.at(0, data, static_cast<int>(shape.bytes()), true, memory);
                }
                MPI_Type_free(&memory);
                MPI_Type_free(&type);
            }};
}

// The same by hand: every rank gets some of the slowest planes whole, and moves them by one call.
class GridByHand {
public:
    GridByHand(int points, bool transposed)
        : shape_(points, transposed), transposed_(transposed), offsets_(4 * static_cast<std::size_t>(ranks)) {
        MPI_Allgather(shape_.starts, 4, MPI_INT, offsets_.data(), 4, MPI_INT, MPI_COMM_WORLD);
        for (int other = 0; other <= ranks; ++other) planes_.push_back(shape_.counts[0] * other / ranks);
        const int mine = planes_[rank + 1] - planes_[rank];
        for (int other = 0; other < ranks; ++other) {
            const int part = block_plane();
            out_counts_.push_back((planes_[other + 1] - planes_[other]) * part);
            out_starts_.push_back(planes_[other] * part);
            in_counts_.push_back(mine * part);
            in_starts_.push_back(other * mine * part);
        }
        exchanged_.resize(static_cast<std::size_t>(mine) * block_plane() * ranks);
        slab_.resize(exchanged_.size());
        if (transposed) block_.resize(shape_.bytes() / sizeof(double));
    }
    void run(const std::string& path, bool writes, std::byte* data) {
        const int file = ::open(path.c_str(), writes ? O_CREAT | O_RDWR : O_RDONLY, 0666);
        require(file >= 0, "open");
        const auto bytes = static_cast<ssize_t>(slab_.size());
        const off_t offset = static_cast<off_t>(planes_[rank]) * block_plane() * ranks;
        std::byte* const block = transposed_ ? reinterpret_cast<std::byte*>(block_.data()) : data;
        if (writes) {
            if (transposed_) each_element(data, [](double& in_order, double& in_memory) { in_order = in_memory; });
            MPI_Alltoallv(block, out_counts_.data(), out_starts_.data(), MPI_BYTE, exchanged_.data(), in_counts_.data(),
                          in_starts_.data(), MPI_BYTE, MPI_COMM_WORLD);
            each_row([](std::byte* in_slab, std::byte* in_block, std::size_t row) { std::memcpy(in_slab, in_block, row); });
            require(::pwrite(file, slab_.data(), slab_.size(), offset) == bytes, "pwrite");
        } else {
            require(::pread(file, slab_.data(), slab_.size(), offset) == bytes, "pread");
            each_row([](std::byte* in_slab, std::byte* in_block, std::size_t row) { std::memcpy(in_block, in_slab, row); });
            MPI_Alltoallv(exchanged_.data(), in_counts_.data(), in_starts_.data(), MPI_BYTE, block, out_counts_.data(),
                          out_starts_.data(), MPI_BYTE, MPI_COMM_WORLD);
            if (transposed_) each_element(data, [](double& in_order, double& in_memory) { in_memory = in_order; });
        }
        ::close(file);
        MPI_Barrier(MPI_COMM_WORLD);
    }

private:
    int block_plane() const {
        return shape_.counts[1] * shape_.counts[2] * shape_.counts[3] * static_cast<int>(sizeof(double));
    }
    template <typename Copy>
    void each_element(std::byte* data, Copy&& copy) {
        double* in_order = block_.data();
        double* const in_memory = reinterpret_cast<double*>(data);
        const int* const s = shape_.strides;
        for (int i = 0; i < shape_.counts[0]; ++i)
            for (int j = 0; j < shape_.counts[1]; ++j)
                for (int k = 0; k < shape_.counts[2]; ++k)
                    for (int l = 0; l < shape_.counts[3]; ++l)
                        copy(*in_order++, in_memory[i * s[0] + j * s[1] + k * s[2] + l * s[3]]);
    }
    template <typename Copy>
    void each_row(Copy&& copy) {
        const std::size_t row = shape_.counts[3] * sizeof(double);
        std::byte* from = exchanged_.data();
        for (int other = 0; other < ranks; ++other)
            for (int i = 0; i < planes_[rank + 1] - planes_[rank]; ++i)
                for (int j = 0; j < shape_.counts[1]; ++j)
                    for (int k = 0; k < shape_.counts[2]; ++k, from += row) {
                        const int* const at = &offsets_[4 * static_cast<std::size_t>(other)];
                        const std::size_t line =
                            (static_cast<std::size_t>(i) * shape_.sizes[1] + at[1] + j) * shape_.sizes[2] + at[2] + k;
                        copy(slab_.data() + (line * shape_.sizes[3] + at[3]) * sizeof(double), from, row);
                    }
    }
    Grid shape_;
    bool transposed_;
    std::vector<double> block_;  // in the file's order
    std::vector<int> offsets_, planes_, out_counts_, out_starts_, in_counts_, in_starts_;
    std::vector<std::byte> exchanged_, slab_;
};

Pattern grid_by_hand(const std::string& name, int points, bool transposed) {
    return {name, Grid(points, transposed).bytes(),
            [hand = GridByHand(points, transposed)](const std::string& path, bool writes, std::byte* data) mutable {
                hand.run(path, writes, data);
            }};
}

std::vector<Pattern> patterns() {
    constexpr int k = 1024, m = 1024 * k;
    return {segments("1M alone", m, 16 * m, 1, false),
            segments("32K/64K alone", 32 * k, 64 * k, 64, false),
            segments("4K/16K alone", 4 * k, 16 * k, 512, false),
            segments("1M together", m, 16 * m, 1, true),
            segments("32K/64K together", 32 * k, 64 * k, 64, true),
            segments("4K/16K together", 4 * k, 16 * k, 64, true),
            cyclic("16K view", 16 * k, 512),
            cyclic("40-byte view", 40, 100000),
            grid("grid", 32, false),
            grid_by_hand("grid by hand", 32, false),
            grid("transposed grid", 32, true),
            grid_by_hand("transposed grid by hand", 32, true)};
}

// Seconds of the slowest rank.
double timed(const Pattern& pattern, const std::string& path, bool writes, std::byte* data) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    pattern.run(path, writes, data);
    double seconds = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

// What the file system still has to write of files before, its journal above all, is written now and not during a measurement.
void settle(const std::string& path) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        ::unlink(path.c_str());
        const int directory = ::open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY);
        require(directory >= 0 && ::syncfs(directory) == 0, "syncfs");
        ::close(directory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void measure(const Pattern& pattern, const std::string& path, int repetitions) {
    std::vector<double> writing, reading;
    const Words written = numbered(pattern.bytes);
    for (int repetition = -1; repetition < repetitions;
         ++repetition) {  // the first: a virtual machine is given memory by its host
        Words data = written, found(written.size());
        settle(path);
        const double write_s = timed(pattern, path, true, reinterpret_cast<std::byte*>(data.data()));
        const double read_s = timed(pattern, path, false, reinterpret_cast<std::byte*>(found.data()));
        if (repetition >= 0) writing.push_back(1e6 * write_s), reading.push_back(1e6 * read_s);
        require(found == written, "reading what was written");
    }
    settle(path);
    if (rank != 0) return;
    const auto bytes = static_cast<long long>(pattern.bytes) * ranks;
    bench_cell((pattern.name + " write").c_str(), bytes, nullptr, writing.data(), repetitions);
    bench_cell((pattern.name + " read").c_str(), bytes, nullptr, reading.data(), repetitions);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    require(argc >= 2, "finding DIRECTORY in the command line");
    const std::vector<std::string> wanted(argv + std::min(argc, 3), argv + argc);
    const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
    for (const Pattern& pattern : patterns())
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), pattern.name) != wanted.end())
            measure(pattern, std::string(argv[1]) + "/bench_mpiio.data", repetitions);
    if (rank == 0) bench_end();
    MPI_Finalize();
    return 0;
}
