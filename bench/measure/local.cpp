// What a processor does by itself in collective operations: copies, and reductions by the MPI library (MPI_Reduce_local). No
// point-to-point time tells it; `kumihimo simulate fit` asks.
//
//   kumihimo-local BYTES...     prints microseconds as JSON: [{"bytes": 8, "copy_us": 0.01, "reduction_us": 0.2}, ...]
//
// Medians, with the same memory each time, as calls of a program have it: what caches can hold they do.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Of so many in a row, where one is shorter than the clock can tell.
template <typename Work>
double median_us(std::size_t bytes, Work&& work) {
    constexpr int rounds = 41;
    const int in_row = static_cast<int>(std::clamp<std::size_t>(65536 / (bytes + 1), 1, 200));
    std::vector<double> times(rounds);
    for (double& one : times) {
        const double before = MPI_Wtime();
        for (int i = 0; i < in_row; ++i) work();
        one = (MPI_Wtime() - before) * 1e6 / in_row;
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; ++i) {
        const auto bytes = static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10));
        const std::size_t floats = std::max<std::size_t>(bytes / sizeof(float), 1);
        std::vector<float> from(floats, 0), to(floats, 0);
        volatile float seen = 0;
        const double copy = median_us(bytes, [&] {
            std::memcpy(to.data(), from.data(), bytes);
            seen = to[floats - 1];
        });
        const double reduction =
            median_us(bytes, [&] { MPI_Reduce_local(from.data(), to.data(), static_cast<int>(floats), MPI_FLOAT, MPI_SUM); });
        std::printf("%s{\"bytes\": %zu, \"copy_us\": %.5f, \"reduction_us\": %.5f}", i == 1 ? "[" : ", ", bytes, copy,
                    reduction);
    }
    std::printf("%s]\n", argc == 1 ? "[" : "");
    MPI_Finalize();
    return 0;
}
