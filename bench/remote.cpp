// Transfers of one size, again and again, by plain MPI calls: of files on this machine and on another one (bench/remote.py).
//
//     bench_remote NAME PATTERN MESSAGE TOTAL
//
// PATTERN: write, read (independent), write_all, read_all (collective), strided_write, strided_read (collective, MESSAGE bytes
// of all ranks in turn, as one call for all of a rank), strided_write_alone (the same by an independent call). MESSAGE: bytes
// of a call of a rank. TOTAL: of all ranks. What is read is compared with what a write leaves. Prints, as JSON, the seconds of
// the slowest rank from the first call to the last; of writes with the sync behind them, so that all bytes are on the disk.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int rank, ranks;

void must(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// The file's words are a function of their place, so that whoever reads needs nothing of who wrote. They come again after so
// many bytes, a prime number of pages: so little memory holds what any call writes. (Memory that nobody has used yet costs more
// than to send it does, on a virtual machine up to 3 s for a GiB.)
constexpr MPI_Offset period = MPI_Offset{257} * 4096;

std::uint64_t word_at(MPI_Offset offset) {
    return (static_cast<std::uint64_t>(offset % period) + 1) * 0x9e3779b97f4a7c15u;
}

void fill(std::byte* at, std::size_t bytes, MPI_Offset offset) {
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t word = word_at(offset + static_cast<MPI_Offset>(i));
        std::memcpy(at + i, &word, std::min<std::size_t>(8, bytes - i));
    }
}

bool same(const std::byte* at, std::size_t bytes, MPI_Offset offset) {
    std::vector<std::byte> expected(bytes);
    fill(expected.data(), bytes, offset);
    return std::memcmp(at, expected.data(), bytes) == 0;
}

struct Job {
    std::string name, pattern;
    std::size_t message;  // bytes
    MPI_Offset mine;      // bytes of this rank

    bool writes() const { return pattern.find("write") != std::string::npos; }
    bool strided() const { return pattern.starts_with("strided"); }
    bool together() const { return pattern.ends_with("_all") || (strided() && !pattern.ends_with("_alone")); }
    // Where byte `at` of this rank's lies in the file.
    MPI_Offset place(MPI_Offset at) const {
        if (!strided()) return rank * mine + at;
        const auto block = static_cast<MPI_Offset>(message);
        return (at / block * ranks + rank) * block + at % block;
    }
};

void set_view(MPI_File file, const Job& job) {
    const auto block = static_cast<int>(job.message);
    MPI_Datatype bytes, tile;
    MPI_Type_contiguous(block, MPI_BYTE, &bytes);
    MPI_Type_create_resized(bytes, 0, static_cast<MPI_Aint>(block) * ranks, &tile);
    MPI_Type_commit(&tile);
    must(MPI_File_set_view(file, static_cast<MPI_Offset>(block) * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL), "set_view");
    MPI_Type_free(&bytes);
    MPI_Type_free(&tile);
}

void move(MPI_File file, const Job& job, MPI_Offset at, std::byte* data, int bytes) {
    MPI_Status status;
    if (job.writes() && job.together())
        must(MPI_File_write_at_all(file, at, data, bytes, MPI_BYTE, &status), "write_at_all");
    else if (job.writes())
        must(MPI_File_write_at(file, at, data, bytes, MPI_BYTE, &status), "write_at");
    else if (job.together())
        must(MPI_File_read_at_all(file, at, data, bytes, MPI_BYTE, &status), "read_at_all");
    else
        must(MPI_File_read_at(file, at, data, bytes, MPI_BYTE, &status), "read_at");
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != bytes) must(MPI_ERR_TRUNCATE, "count");
}

// What is written is there before the clock starts.
std::vector<std::byte> memory_for(const Job& job, std::size_t call) {
    if (!job.writes()) return std::vector<std::byte>(call);
    std::vector<std::byte> data(job.strided() ? call : call + static_cast<std::size_t>(period));
    if (!job.strided()) fill(data.data(), data.size(), 0);
    for (MPI_Offset at = 0; job.strided() && at < job.mine; at += static_cast<MPI_Offset>(job.message))
        fill(data.data() + at, job.message, job.place(at));
    return data;
}

double run(MPI_File file, const Job& job) {
    const MPI_Offset call = job.strided() ? job.mine : static_cast<MPI_Offset>(job.message);
    const auto bytes = static_cast<std::size_t>(call);
    std::vector<std::byte> data = memory_for(job, bytes);
    const auto memory_of = [&](MPI_Offset at) {
        return data.data() + (job.writes() && !job.strided() ? job.place(at) % period : 0);
    };
    if (job.strided()) set_view(file, job);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (MPI_Offset at = 0; at < job.mine; at += call)
        move(file, job, job.strided() ? at : job.place(at), memory_of(at), static_cast<int>(bytes));
    if (job.writes()) must(MPI_File_sync(file), "sync");
    const double mine = MPI_Wtime() - start;
    for (MPI_Offset at = 0; !job.writes() && at < call; at += static_cast<MPI_Offset>(job.message)) {
        const MPI_Offset last = job.mine - call + at;
        if (!same(data.data() + at, job.message, job.place(last))) must(MPI_ERR_IO, "what was read differs");
    }
    double slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count != 5) {
        std::fputs("bench_remote NAME PATTERN MESSAGE TOTAL\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    Job job{words[1], words[2], std::strtoul(words[3], nullptr, 10), 0};
    const auto message = static_cast<MPI_Offset>(job.message);
    job.mine = std::max<MPI_Offset>(message, std::strtoll(words[4], nullptr, 10) / ranks / message * message);
    MPI_File file;
    const int mode = job.writes() ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const double start = MPI_Wtime();
    must(MPI_File_open(MPI_COMM_WORLD, job.name.c_str(), mode, MPI_INFO_NULL, &file), "open");
    const double opened = MPI_Wtime() - start;
    const double seconds = run(file, job);
    must(MPI_File_close(&file), "close");
    if (rank == 0)
        std::printf("{\"seconds\": %.6f, \"open\": %.6f, \"bytes\": %lld}\n", seconds, opened,
                    static_cast<long long>(job.mine) * ranks);
    MPI_Finalize();
}
