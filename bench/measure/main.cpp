// kumihimo-bench: one launch of a campaign of `kumihimo bench run`. Measures every operation in every size, in the order given,
// and writes raw samples; statistics are bench/suite's business.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "bench/measure/measurement.hpp"
#include "bench/measure/output.hpp"

namespace kumihimo::bench {

namespace {

void measure_all(const Options& options) {
    const Place place(options.shape);
    CommonClock clock(place.comm());
    Output output(options.output, place.rank());
    output.launch(place);
    for (const std::string& name : options.operations) {
        const Operation& operation = find_operation(name);
        for (const std::int64_t bytes : options.sizes_bytes) {
            const std::string reason = obstacle(operation, place, bytes, options.memory_bytes);
            if (!reason.empty()) {
                output.skipped(operation, bytes, reason);
                continue;
            }
            const std::unique_ptr<Kernel> kernel = operation.make(place, bytes);
            output.cell(operation, bytes, measure(operation, *kernel, place, clock, options));
        }
    }
    output.end();
}

}  // namespace

}  // namespace kumihimo::bench

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    try {
        kumihimo::bench::measure_all(kumihimo::bench::parse_options(argc, argv));
    } catch (const std::exception& error) {
        std::fputs((kumihimo::base::error_message(error, "", rank, size) + "\n").c_str(), stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
