// Datatypes without MPI-IO: what flattening, visiting and packing cost, for typical types, against loops written by hand for
// each, against MPI_Pack, and against memcpy of as many bytes. One rank. bench/extents.py shows its records.
//   bench_extents_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "bench/turns.hpp"
#include "copying/streams.hpp"
#include "mpiio/file/datatype.hpp"

namespace {

using namespace kumihimo::mpiio;
using namespace kumihimo::copying;
using kumihimo::sets::Blocks, kumihimo::sets::Extents;

using Hand = std::function<void(const double* from, double* to)>;  // packs one element

double seconds = 0.1;

void measure(const char* name, MPI_Datatype type, const Hand& hand) {
    MPI_Type_commit(&type);
    Extents extents = extents_of(type);
    const auto room = static_cast<std::size_t>(extents.true_upper()), size = static_cast<std::size_t>(extents.size());
    std::vector<double> memory(room / sizeof(double) + 1, 1.0), source(size / sizeof(double) + 8, 3.0),
        target(source.size(), 2.0);
    void* row = target.data();  // begins a cache line, as the engines' buffers do
    std::size_t space = target.size() * sizeof(double);
    std::align(64, size, row, space);
    const Memory ours{reinterpret_cast<std::byte*>(memory.data()), extents, extents.extent()};
    const auto by_mpi = [&] {
        int position = 0;
        MPI_Pack(memory.data(), 1, type, row, static_cast<int>(size), &position, MPI_COMM_SELF);
    };
    const auto visit = [&] {
        extents.for_each(0, extents.size(), [](const Blocks& blocks) {
            asm volatile("" : : "r"(blocks.offset ^ blocks.count));
        });
    };
    bench::take_turns(name, extents.size(),
                      {{"ours", [&] { gather(ours, 0, extents.size(), static_cast<std::byte*>(row)); }},
                       {"ours again", [&] { gather(ours, 0, extents.size(), static_cast<std::byte*>(row)); }},
                       {"by hand", [&] { hand(memory.data(), static_cast<double*>(row)); }},
                       {"MPI_Pack", by_mpi},
                       {"memcpy", [&] { std::memcpy(row, source.data(), size); }},
                       {"flattening again", [&] { extents = extents_of(type); }},
                       {"visiting", visit}},
                      seconds, MPI_COMM_SELF);
    MPI_Type_free(&type);
}

void measure_vector() {
    constexpr int count = 1'000'000;
    MPI_Datatype type;
    MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &type);
    measure("vector of 10^6 doubles, every second one", type, [](const double* from, double* to) {
        for (int i = 0; i < count; ++i) to[i] = from[2 * i];
    });
    MPI_Type_vector(count / 8, 8, 100, MPI_DOUBLE, &type);
    measure("vector of 125,000 x 8 doubles of 100", type, [](const double* from, double* to) {
        for (int i = 0; i < count / 8; ++i) std::memcpy(to + 8 * i, from + 100 * i, 64);
    });
}

// 100^3 rows of four doubles.
void measure_subarray() {
    constexpr int n = 100, width = 6, part = 4;
    const int sizes[] = {n, n, n + 2, width}, subsizes[] = {n, n, n, part}, starts[] = {0, 0, 1, 1};
    MPI_Datatype type;
    MPI_Type_create_subarray(4, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    measure("4-D subarray, 10^6 rows of 32 bytes", type, [](const double* from, double* to) {
        for (int i = 0; i < n * n; ++i)
            for (int j = 0; j < n; ++j, to += part)
                std::memcpy(to, from + (i * (n + 2) + j + 1) * width + 1, part * sizeof(double));
    });
}

// All axes of an array in reverse order: what pmodels/mpich#7935 writes.
void measure_transposed() {
    constexpr int n = 48;
    MPI_Datatype type = MPI_DOUBLE;
    for (MPI_Aint stride = n * n * n * sizeof(double); stride > 0; stride = stride == 8 ? 0 : stride / n) {
        MPI_Datatype next;
        MPI_Type_create_hvector(n, 1, stride, type, &next);
        if (type != MPI_DOUBLE) MPI_Type_free(&type);
        type = next;
    }
    measure("48^4 doubles with their axes reversed", type, [](const double* from, double* to) {
        for (int l = 0; l < n; ++l)
            for (int k = 0; k < n; ++k)
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) *to++ = from[((i * n + j) * n + k) * n + l];
    });
}

void measure_matrix() {
    constexpr int n = 2048;
    MPI_Datatype column, type;
    MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(n, 1, sizeof(double), column, &type);
    MPI_Type_free(&column);
    measure("2048 x 2048 doubles, transposed", type, [](const double* from, double* to) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) *to++ = from[j * n + i];
    });
}

void measure_indexed() {
    constexpr int count = 1'000'000;
    std::vector<int> places(count);
    std::mt19937 random(1);
    for (int i = 0, place = 0; i < count; ++i, place += 2 + static_cast<int>(random() % 3)) places[i] = place;
    MPI_Datatype type;
    MPI_Type_create_indexed_block(count, 1, places.data(), MPI_DOUBLE, &type);
    measure("indexed, 10^6 doubles at irregular places", type, [&](const double* from, double* to) {
        for (int i = 0; i < count; ++i) to[i] = from[places[i]];
    });
}

void measure_structure() {
    struct Particle {
        double position[3];
        int kind;
        double velocity[3];
    };
    constexpr int count = 200'000;
    const int lengths[] = {3, 3};
    const MPI_Aint places[] = {offsetof(Particle, position), offsetof(Particle, velocity)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Datatype structure, particle, type;
    MPI_Type_create_struct(2, lengths, places, types, &structure);
    MPI_Type_create_resized(structure, 0, sizeof(Particle), &particle);
    MPI_Type_contiguous(count, particle, &type);
    MPI_Type_free(&structure);
    MPI_Type_free(&particle);
    measure("200,000 structures, 2 x 24 of 56 bytes", type, [](const double* from, double* to) {
        const auto* const particles = reinterpret_cast<const Particle*>(from);
        for (int i = 0; i < count; ++i, to += 6) {
            std::memcpy(to, particles[i].position, sizeof particles[i].position);
            std::memcpy(to + 3, particles[i].velocity, sizeof particles[i].velocity);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1) seconds = std::atof(argv[1]);
    measure_vector();
    measure_subarray();
    measure_transposed();
    measure_matrix();
    measure_indexed();
    measure_structure();
    bench_end();
    MPI_Finalize();
}
