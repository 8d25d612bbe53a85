// Coarrays between two images: put and get ping-pong, put, get, strided put and accumulate, against the limit (plain shared
// memory and raw loops on the same memory) and MPI RMA by hand (Win_allocate, lock_all, flush). One launch measures every case.
// Prints its records; bench/coarray.py runs several launches and compares.
//   mpiexec -n 2 bench_coarray_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/turns.hpp"
#include "kumihimo/localview.h"

namespace {

constexpr std::size_t most_bytes = 4 << 20;
int rank = 0;

// ---- the memory of the three variants ----
XMP_Coarray* block = nullptr;  // most_bytes, then a cache line each for the ball, the lock and the flag
char *mine = nullptr, *theirs = nullptr;
MPI_Win window;
char* window_mine = nullptr;
std::vector<char> source(most_bytes, 1), result(most_bytes);
constexpr std::size_t ball_at = most_bytes, lock_at = most_bytes + 64, flag_at = most_bytes + 128,
                      block_bytes = most_bytes + 192;

void prepare() {
    block = XMP_Coarray_declare("block", block_bytes, nullptr);
    mine = static_cast<char*>(block->base);
    theirs = static_cast<char*>(XMP_Direct(block, 1 - rank, mine));
    MPI_Win_allocate(block_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_mine, &window);
    std::memset(window_mine, 0, block_bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

// ---- operations of image 0 on image 1 ----

// One element as xmpcc writes it: a store where the image is mapped.
void put_element(std::size_t at, long value) {
    if (void* const there = XMP_Direct(block, 1 - rank, mine + at))
        *static_cast<volatile long*>(there) = value;
    else
        XMP_Put_run(XMP_SITE("a[0]:[1] = v"), block, 1 - rank, mine + at, &value, sizeof value);
}

void put(std::size_t bytes) {
    if (bytes == sizeof(long))
        put_element(0, 1);
    else
        XMP_Put_run(XMP_SITE("a[0:n]:[1] = b[0:n]"), block, 1 - rank, mine, source.data(), bytes);
}
void put_and_fence(std::size_t bytes) {
    put(bytes);
    xmp_sync_memory(nullptr);
}
void raw_put_and_fence(std::size_t bytes) {
    if (bytes == sizeof(long))
        *reinterpret_cast<volatile long*>(theirs) = 1;
    else
        std::memcpy(theirs, source.data(), bytes);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void mpi_put_and_flush(std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    MPI_Put(source.data(), count, MPI_BYTE, 1 - rank, 0, count, MPI_BYTE, window);
    MPI_Win_flush(1 - rank, window);
}

void get(std::size_t bytes) {
    const void* const there = bytes == sizeof(long) ? XMP_Direct(block, 1 - rank, mine) : nullptr;
    if (there != nullptr)
        *reinterpret_cast<volatile long*>(result.data()) = *static_cast<const volatile long*>(there);
    else
        XMP_Get_run(XMP_SITE("b[0:n] = a[0:n]:[1]"), block, 1 - rank, mine, result.data(), bytes);
}
void raw_get(std::size_t bytes) {
    if (bytes == sizeof(long))
        *reinterpret_cast<volatile long*>(result.data()) = *reinterpret_cast<const volatile long*>(theirs);
    else
        std::memcpy(result.data(), theirs, bytes);
}
void mpi_get(std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    MPI_Get(result.data(), count, MPI_BYTE, 1 - rank, 0, count, MPI_BYTE, window);
    MPI_Win_flush(1 - rank, window);
}

// Every second element of 8 bytes.
void put_strided(std::size_t bytes) {
    const auto count = static_cast<XMP_Index>(bytes / 8);
    const XMP_Section remote = {mine, 1, {count}, {16}}, from = {source.data(), 1, {count}, {8}};
    XMP_Put(XMP_SITE("a[0:n:2]:[1] = b[0:n]"), block, 1 - rank, &remote, &from, 8);
}
void raw_put_strided(std::size_t bytes) {
    double* const to = reinterpret_cast<double*>(theirs);
    const double* const from = reinterpret_cast<const double*>(source.data());
    const std::size_t count = bytes / 8;
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) to[2 * i] = from[i];
    asm volatile("" ::: "memory");
}
void mpi_put_strided(std::size_t bytes) {
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    static std::size_t of_bytes = 0;
    if (of_bytes != bytes) {
        if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
        MPI_Type_vector(static_cast<int>(bytes / 8), 1, 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        of_bytes = bytes;
    }
    MPI_Put(source.data(), static_cast<int>(bytes / 8), MPI_DOUBLE, 1 - rank, 0, 1, type, window);
    MPI_Win_flush(1 - rank, window);
}

void accumulate(std::size_t bytes) {
    if (bytes == sizeof(double))
        return XMP_Accumulate_one(XMP_SITE("a[0]:[1] += v"), block, 1 - rank, mine, source.data(), XMP_SUM, XMP_TYPE_DOUBLE);
    const auto count = static_cast<XMP_Index>(bytes / 8);
    const XMP_Section remote = {mine, 1, {count}, {8}}, from = {source.data(), 1, {count}, {8}};
    XMP_Accumulate(XMP_SITE("a[0:n]:[1] += b[0:n]"), block, 1 - rank, &remote, &from, XMP_SUM, XMP_TYPE_DOUBLE);
}
void raw_accumulate(std::size_t bytes) {
    auto& lock = *reinterpret_cast<std::atomic<int>*>(theirs + lock_at);
    while (lock.exchange(1, std::memory_order_acquire) != 0) {
    }
    double* const to = reinterpret_cast<double*>(theirs);
    const double* const from = reinterpret_cast<const double*>(source.data());
    const std::size_t count = bytes / 8;
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
    lock.store(0, std::memory_order_release);
}
void mpi_accumulate(std::size_t bytes) {
    const int count = static_cast<int>(bytes / 8);
    MPI_Accumulate(source.data(), count, MPI_DOUBLE, 1 - rank, 0, count, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(1 - rank, window);
}

// ---- ping-pong: both images; the ball follows the data ----
long hits = 0;  // since the start, equal on both

template <typename Send, typename Wait>
void ping_pong(Send&& send, Wait&& wait) {
    ++hits;
    if (rank == 0) send();
    wait();
    if (rank == 1) send();
}
void put_ping_pong(std::size_t bytes) {
    ping_pong(
        [&] {
            if (bytes > sizeof(long)) put_and_fence(bytes);
            put_element(ball_at, hits);
        },
        [] {
            while (*reinterpret_cast<volatile long*>(mine + ball_at) < hits) xmp_sync_memory(nullptr);
        });
}
void raw_put_ping_pong(std::size_t bytes) {
    ping_pong(
        [&] {
            if (bytes > sizeof(long)) raw_put_and_fence(bytes);
            *reinterpret_cast<volatile long*>(theirs + ball_at) = hits;
        },
        [] {
            while (*reinterpret_cast<volatile long*>(mine + ball_at) < hits) {
            }
        });
}
void mpi_put_ping_pong(std::size_t bytes) {
    ping_pong(
        [&] {
            if (bytes > sizeof(long)) mpi_put_and_flush(bytes);
            MPI_Put(&hits, 8, MPI_BYTE, 1 - rank, ball_at, 8, MPI_BYTE, window);
            MPI_Win_flush(1 - rank, window);
        },
        [] {
            while (*reinterpret_cast<volatile long*>(window_mine + ball_at) < hits)
                MPI_Win_sync(window), MPI_Win_flush_local_all(window);
        });
}
// Each takes the data when the other says that they are there.
void get_ping_pong(std::size_t bytes) {
    ping_pong([] { put_element(ball_at, hits); },
              [&] {
                  while (*reinterpret_cast<volatile long*>(mine + ball_at) < hits) xmp_sync_memory(nullptr);
                  get(bytes);
              });
}
void raw_get_ping_pong(std::size_t bytes) {
    ping_pong([] { *reinterpret_cast<volatile long*>(theirs + ball_at) = hits; },
              [&] {
                  while (*reinterpret_cast<volatile long*>(mine + ball_at) < hits) {
                  }
                  raw_get(bytes);
              });
}

// ---- both images meet; the limit: each stores into the other's cache line and waits for its own ----
void sync_all(std::size_t) {
    xmp_sync_all(nullptr);
}
void raw_sync_all(std::size_t) {
    static long meetings = 0;
    ++meetings;
    reinterpret_cast<std::atomic<long>*>(theirs + flag_at)->store(meetings, std::memory_order_release);
    while (reinterpret_cast<std::atomic<long>*>(mine + flag_at)->load(std::memory_order_acquire) < meetings) {
    }
}
void mpi_barrier(std::size_t) {
    MPI_Barrier(MPI_COMM_WORLD);
}

// ---- measuring ----
using Work = void (*)(std::size_t);
struct Case {
    const char* name;
    bool both;  // images work; else image 1 waits
    Work coarray, limit, mpi;
};

void measure(const Case& one, std::size_t bytes, double seconds) {
    const auto run = [&](Work work) -> std::function<void()> {
        if (!one.both && rank != 0) return [] {};
        return [work, bytes] { work(bytes); };
    };
    std::vector<bench::Variant> variants = {{"coarray", run(one.coarray)}, {"coarray again", run(one.coarray)}};
    if (theirs != nullptr) {
        variants.push_back({"limit", run(one.limit)});
        variants.push_back({"limit again", run(one.limit)});
    }
    if (one.mpi != nullptr) variants.push_back({"MPI RMA", run(one.mpi)});
    bench::take_turns(one.name, static_cast<long long>(bytes), variants, seconds);
}

}  // namespace

int main(int argc, char** argv) {
    XMP_local_view = 1;  // as a translated program with coarrays
    XMP_Start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) return std::fprintf(stderr, "bench_coarray: run it on 2 images\n"), 2;
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
    prepare();
    const std::vector<std::size_t> sizes = {8, 64, 512, 4096, 65536, 524288, 1048576, most_bytes};
    for (const std::size_t bytes : sizes) {
        measure({"put ping-pong", true, put_ping_pong, raw_put_ping_pong, mpi_put_ping_pong}, bytes, seconds);
        measure({"get ping-pong", true, get_ping_pong, raw_get_ping_pong, nullptr}, bytes, seconds);
        measure({"put", false, put_and_fence, raw_put_and_fence, mpi_put_and_flush}, bytes, seconds);
        measure({"get", false, get, raw_get, mpi_get}, bytes, seconds);
    }
    measure({"sync all", true, sync_all, raw_sync_all, mpi_barrier}, 0, seconds);
    for (const std::size_t bytes : {8192, 524288})
        measure({"strided put of 8 B", false, put_strided, raw_put_strided, mpi_put_strided}, bytes, seconds);
    for (const std::size_t bytes : {8, 512, 65536})
        measure({"accumulate doubles", false, accumulate, raw_accumulate, mpi_accumulate}, bytes, seconds);
    if (rank == 0) bench_end();
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    return 0;
}
