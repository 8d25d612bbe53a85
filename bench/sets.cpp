// Times of the set algebra: what one node owns, where two distributions meet, the start of an enumeration. They must depend
// on the number of pieces only, hence stay the same from 10^6 to 10^12 indices. bench/sets.py shows its records.
//   bench_sets_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "bench/turns.hpp"
#include "sets/mapping.hpp"

namespace {

using namespace kumihimo::sets;

Index sink = 0;  // keeps results alive
double seconds = 0.1;

template <typename Call>
void row(const std::string& what, Index extent, Call call) {
    const std::string name = what + ", N = 10^" + std::to_string(std::lround(std::log10(extent)));
    const auto run = [call] { sink += call(); };
    bench::take_turns(name.c_str(), 0, {{"sets", run}, {"sets again", run}}, seconds, MPI_COMM_SELF);
}

// Sets whose parts are measured; `make` builds the result.
template <typename Make>
void set_row(const std::string& what, Index extent, Make make) {
    row(what, extent, [make] { return std::ssize(make().pieces()); });
}

void measure(Index extent) {
    const Distribution cyclic = Distribution::cyclic(1, extent, 7, 3), block = Distribution::block(1, extent, 5);
    const Distribution other = Distribution::cyclic(1, extent, 5, 4), coarse = Distribution::cyclic(1, extent, 7, 1000);
    const Range thirds = Range::triplet(2, extent, 3), odd = Range::triplet(1, extent, 2);
    set_row("owned: cyclic(3) on 7", extent, [&] { return cyclic.owned(2); });
    set_row("owned: section 2:N:3 of cyclic(3) on 7", extent, [&] { return cyclic.owned(2, thirds); });
    set_row("intersect: cyclic(3) on 7 with block on 5", extent, [&] { return cyclic.owned(2).intersect(block.owned(3)); });
    set_row("intersect: cyclic(3) on 7 with cyclic(4) on 5", extent, [&] { return cyclic.owned(2).intersect(other.owned(3)); });
    set_row("hard: section 1:N:2 of cyclic(1000) on 7", extent, [&] { return coarse.owned(2, odd); });
    const IndexSet both = cyclic.owned(2).intersect(other.owned(3));
    row("enumeration: set-up and first run of cyclic(3) with cyclic(4)", extent, [&] {
        RunCursor cursor(both);
        Run run;
        return cursor.next(run) ? run.length : 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1) seconds = std::atof(argv[1]);
    for (const Index extent : {Index{1'000'000}, Index{1'000'000'000}, Index{1'000'000'000'000}}) measure(extent);
    bench_end();
    MPI_Finalize();
    return sink == 0;  // every result is positive
}
