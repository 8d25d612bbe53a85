// kumihimo-bench: one launch of a campaign of `kumihimo bench run`. Measures every operation in every size, in the order given,
// and writes raw samples; statistics are bench/suite's business.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "base/one_sided.hpp"
#include "bench/measure/budget.hpp"
#include "bench/measure/measurement.hpp"
#include "bench/measure/output.hpp"

namespace kumihimo::bench {

namespace {

// One operation in all sizes, or why not.
void measure_sizes(const Operation& operation, const Place& place, CommonClock& clock, const Budget& budget, Output& output,
                   const Options& options) {
    for (const std::int64_t bytes : options.sizes_bytes) {
        std::string reason = obstacle(operation, place, bytes, options.memory_bytes);
        if (reason.empty() && budget.is_spent()) reason = Budget::reason;
        if (!reason.empty()) {
            output.skipped(operation, bytes, reason);
            continue;
        }
        const std::unique_ptr<Kernel> kernel = operation.make(place, bytes);
        output.cell(operation, bytes, measure(operation, *kernel, place, clock, options));
    }
}

// What the MPI library allocates for a call and frees again is to stay with the process, as in a program that has run for a
// while. Else the pages of such memory are new in each call until larger messages have been measured (mallopt(3): the
// thresholds grow with the largest block that was freed, up to 32 MiB), and a time would depend on what was measured before.
void grow_heap_thresholds() {
    const Memory freed_at_once(std::size_t{31} << 20);
}

void measure_all(const Options& options) {
    grow_heap_thresholds();
    const Place place(options.shape, options.roots_in_turn);
    CommonClock clock(place.comm());
    Output output(options.output, place.rank());
    Budget budget(options.budget_seconds, static_cast<int>(options.operations.size()), place.comm());
    output.launch(place);
    for (const std::string& name : options.operations) {
        budget.next_operation();
        measure_sizes(find_operation(name), place, clock, budget, output, options);
    }
    output.end();
}

}  // namespace

}  // namespace kumihimo::bench

int main(int argc, char** argv) {
    kumihimo::base::allow_one_sided();
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
