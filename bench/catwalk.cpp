// The evaluation of the paper on Catwalk (section 4) by plain MPI calls: the same binary runs with the MPI library's
// own files, and with libkumihimo_io preloaded. bench/catwalk.py runs and compares them.
//   bench_catwalk PATTERN FILE SCALE [COMPUTE_MS]
// Prints its records: "PATTERN" from open to close of the slowest rank (the file is durable then), and of that "PATTERN call"
// (a write call, median), "PATTERN open", "PATTERN sync", "PATTERN close". The COMPUTE_MS that the time steps of BT-IO compute
// do not count. The file's content is checked afterwards.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/records.h"

namespace {

int rank = 0, ranks = 1;

void require(bool well, const char* what) {
    if (well) return;
    std::fprintf(stderr, "bench_catwalk: rank %d: %s failed\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CALL(call) require((call) == MPI_SUCCESS, #call)

// The file's content: each word says where it belongs.
std::uint64_t word_at(MPI_Offset offset) {
    return static_cast<std::uint64_t>(offset) * 2654435761u + 1;
}

using Words = std::vector<std::uint64_t>;
void fill(std::uint64_t* words, MPI_Offset offset, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes / 8; ++i) words[i] = word_at(offset + static_cast<MPI_Offset>(8 * i));
}

// The open file, and the time spent in its calls.
class TimedFile {
public:
    explicit TimedFile(const char* path) {
        open_seconds_ =
            timed([&] { CALL(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file_)); });
    }
    void write_at(MPI_Offset offset, const void* data, int bytes) {
        const double seconds = timed([&] { CALL(MPI_File_write_at(file_, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE)); });
        if (calls_.size() < most_calls) calls_.push_back(seconds);
    }
    void write_all(MPI_Offset begin, MPI_Datatype type, const void* data, int bytes) {
        timed([&] {
            CALL(MPI_File_set_view(file_, begin, MPI_BYTE, type, "native", MPI_INFO_NULL));
            CALL(MPI_File_write_at_all(file_, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        });
    }
    void close() {
        sync_seconds_ = timed([&] { CALL(MPI_File_sync(file_)); });
        close_seconds_ = timed([&] { CALL(MPI_File_close(&file_)); });
    }
    double seconds() const { return seconds_; }
    double open_seconds() const { return open_seconds_; }
    double sync_seconds() const { return sync_seconds_; }
    double close_seconds() const { return close_seconds_; }
    double median_call() {
        if (calls_.empty()) return 0;
        const auto middle = calls_.begin() + static_cast<std::ptrdiff_t>(calls_.size() / 2);
        std::nth_element(calls_.begin(), middle, calls_.end());
        return *middle;
    }

private:
    static constexpr std::size_t most_calls = 1 << 20;
    template <typename Work>
    double timed(Work&& work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        seconds_ += seconds;
        return seconds;
    }
    MPI_File file_ = MPI_FILE_NULL;
    double seconds_ = 0, open_seconds_ = 0, sync_seconds_ = 0, close_seconds_ = 0;
    std::vector<double> calls_;
};

struct Pattern {
    MPI_Offset bytes;  // of the file
    std::function<void(TimedFile&)> write;
};

// IOR (figure 4): segments, in each a block of every rank, written by transfers of one size.
Pattern segments(int transfer, int block, int count) {
    return {MPI_Offset{block} * ranks * count, [=](TimedFile& file) {
                Words data(static_cast<std::size_t>(transfer) / 8);
                for (int segment = 0; segment < count; ++segment)
                    for (int done = 0; done < block; done += transfer) {
                        const MPI_Offset offset = (MPI_Offset{segment} * ranks + rank) * block + done;
                        fill(data.data(), offset, static_cast<std::size_t>(transfer));
                        file.write_at(offset, data.data(), transfer);
                    }
            }};
}

// BT-IO, class A on 256 processes: 64^3 points of five doubles in cells of 4^3, dealt by diagonals. A row of a cell is 160
// bytes. Where there are fewer ranks each does the work of several of those processes.
namespace bt {

constexpr int points = 64, cell = 4, cells = points / cell, point_bytes = 40, row_bytes = cell * point_bytes;
constexpr MPI_Offset step_bytes = MPI_Offset{points} * points * points * point_bytes;

// Where this rank's rows begin in the file of one time step, cell by cell, as the solver holds them.
std::vector<MPI_Offset> rows() {
    std::vector<MPI_Offset> found;
    for (int cell_number = 0; cell_number < cells * cells * cells; ++cell_number) {
        const int i = cell_number % cells, j = cell_number / cells % cells, k = cell_number / cells / cells;
        const int process = (i - k + cells) % cells + (j - k + cells) % cells * cells;
        if (process % ranks != rank) continue;
        for (int row = 0; row < cell * cell; ++row) {
            const MPI_Offset y = j * cell + row % cell, z = k * cell + row / cell;
            found.push_back(((z * points + y) * points + i * cell) * point_bytes);
        }
    }
    return found;
}

void compute(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
}

// A call for each row.
Pattern simple(int steps, int compute_ms) {
    return {steps * step_bytes, [=](TimedFile& file) {
                Words data(row_bytes / 8);
                const std::vector<MPI_Offset> places = rows();
                for (int step = 0; step < steps; ++step) {
                    compute(compute_ms);
                    for (const MPI_Offset place : places) {
                        fill(data.data(), step * step_bytes + place, row_bytes);
                        file.write_at(step * step_bytes + place, data.data(), row_bytes);
                    }
                }
            }};
}

// A collective call for each time step, through a view of all rows.
Pattern full(int steps, int compute_ms) {
    return {steps * step_bytes, [=](TimedFile& file) {
                std::vector<MPI_Offset> places = rows();
                std::sort(places.begin(), places.end());
                const std::vector<MPI_Aint> displacements(places.begin(), places.end());
                MPI_Datatype type;
                CALL(MPI_Type_create_hindexed_block(static_cast<int>(places.size()), row_bytes, displacements.data(), MPI_BYTE,
                                                    &type));
                CALL(MPI_Type_commit(&type));
                Words data(places.size() * row_bytes / 8);
                for (int step = 0; step < steps; ++step) {
                    compute(compute_ms);
                    for (std::size_t i = 0; i < places.size(); ++i)
                        fill(data.data() + i * row_bytes / 8, step * step_bytes + places[i], row_bytes);
                    file.write_all(step * step_bytes, type, data.data(), static_cast<int>(data.size() * 8));
                }
                MPI_Type_free(&type);
            }};
}

}  // namespace bt

// A write call of 160 bytes, while the buffers have room.
Pattern small_calls(int count) {
    return {MPI_Offset{160} * ranks * count, [=](TimedFile& file) {
                Words data(20);
                for (int i = 0; i < count; ++i) {
                    const MPI_Offset offset = (MPI_Offset{i} * ranks + rank) * 160;
                    fill(data.data(), offset, 160);
                    file.write_at(offset, data.data(), 160);
                    if (i % 256 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            }};
}

int scaled(double scale, int count) {
    return std::max(1, static_cast<int>(scale * count));
}

Pattern pattern(const std::string& name, double scale, int compute_ms) {
    constexpr int k = 1024, m = 1024 * k;
    if (name == "1M") return segments(m, m, scaled(scale, 16));
    if (name == "4M") return segments(4 * m, 4 * m, scaled(scale, 4));
    if (name == "32K/64K") return segments(32 * k, 64 * k, scaled(scale, 1024));
    if (name == "4K/16K") return segments(4 * k, 16 * k, scaled(scale, 1024));
    if (name == "bt-simple") return bt::simple(scaled(scale, 5), compute_ms);
    if (name == "bt-full") return bt::full(scaled(scale, 5), compute_ms);
    require(name == "160B", "finding the PATTERN");
    return small_calls(scaled(scale, 4096));
}

void check(const char* path, MPI_Offset bytes) {
    std::ifstream file(path, std::ios::binary);
    Words words(1 << 17);
    for (MPI_Offset at = 0; at < bytes;) {
        const auto part = std::min<MPI_Offset>(bytes - at, static_cast<MPI_Offset>(words.size() * 8));
        require(static_cast<bool>(file.read(reinterpret_cast<char*>(words.data()), part)), "reading the file");
        for (MPI_Offset i = 0; i < part / 8; ++i)
            require(words[static_cast<std::size_t>(i)] == word_at(at + 8 * i), "finding what was written");
        at += part;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    require(argc >= 4, "finding PATTERN, FILE and SCALE in the command line");
    const Pattern chosen = pattern(argv[1], std::atof(argv[3]), argc > 4 ? std::atoi(argv[4]) : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    TimedFile file(argv[2]);
    chosen.write(file);
    file.close();
    const double mine[] = {file.seconds(), file.median_call(), file.open_seconds(), file.sync_seconds(), file.close_seconds()};
    double slowest[std::size(mine)];
    MPI_Reduce(mine, slowest, std::size(mine), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        check(argv[2], chosen.bytes);
        const char* const parts[] = {"", " call", " open", " sync", " close"};
        for (std::size_t i = 0; i < std::size(parts); ++i) {
            const double microseconds = 1e6 * slowest[i];
            bench_cell((std::string(argv[1]) + parts[i]).c_str(), chosen.bytes, nullptr, &microseconds, 1);
        }
        bench_end();
    }
    MPI_Finalize();
    return 0;
}
