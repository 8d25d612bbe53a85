// Times of the set algebra: what one node owns, where two distributions meet, the start of an enumeration. They must depend
// on the number of pieces only, hence stay the same from 10^6 to 10^12 indices. Two equal columns (A/A) show the noise.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "sets/mapping.hpp"

namespace {

using namespace kumihimo::sets;

Index sink = 0;  // keeps results alive

struct Times {
    double median_ns, fastest_ns;
};

// Median over batches of the time of one call.
template <typename Call>
Times time_of(Call&& call) {
    using Clock = std::chrono::steady_clock;
    constexpr int batches = 31;
    int calls = 1;
    const auto batch = [&] {
        const auto begin = Clock::now();
        for (int i = 0; i < calls; ++i) sink += call();
        return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    };
    while (batch() < 1e6 && calls < (1 << 24)) calls *= 2;  // batches of a millisecond
    std::vector<double> samples;
    for (int i = 0; i < batches; ++i) samples.push_back(batch() / calls);
    std::sort(samples.begin(), samples.end());
    return {samples[batches / 2], samples.front()};
}

template <typename Call>
void row(const std::string& what, double extent, std::size_t pieces, Index elements, Call&& call) {
    const Times a = time_of(call), control = time_of(call);
    std::printf("%-52s %6.0e %7zu %14.4g %12.0f %12.0f %12.0f\n", what.c_str(), extent, pieces, static_cast<double>(elements),
                a.fastest_ns, a.median_ns, control.median_ns);
}

// Sets whose parts are measured; `make` builds the result.
template <typename Make>
void set_row(const std::string& what, double extent, Make&& make) {
    const IndexSet set = make();
    row(what, extent, set.pieces().size(), set.size(), [&] { return std::ssize(make().pieces()); });
}

void measure(Index extent) {
    const double size = static_cast<double>(extent);
    const Distribution cyclic = Distribution::cyclic(1, extent, 7, 3), block = Distribution::block(1, extent, 5);
    const Distribution other = Distribution::cyclic(1, extent, 5, 4), coarse = Distribution::cyclic(1, extent, 7, 1000);
    const Range thirds = Range::triplet(2, extent, 3), odd = Range::triplet(1, extent, 2);
    set_row("owned: cyclic(3) on 7", size, [&] { return cyclic.owned(2); });
    set_row("owned: section 2:N:3 of cyclic(3) on 7", size, [&] { return cyclic.owned(2, thirds); });
    set_row("intersect: cyclic(3) on 7 with block on 5", size, [&] { return cyclic.owned(2).intersect(block.owned(3)); });
    set_row("intersect: cyclic(3) on 7 with cyclic(4) on 5", size, [&] { return cyclic.owned(2).intersect(other.owned(3)); });
    set_row("hard: section 1:N:2 of cyclic(1000) on 7", size, [&] { return coarse.owned(2, odd); });
    const IndexSet both = cyclic.owned(2).intersect(other.owned(3));
    row("enumeration: set up and first run of the latter two", size, both.pieces().size(), both.size(), [&] {
        RunCursor cursor(both);
        Run run;
        return cursor.next(run) ? run.length : 0;
    });
}

void measure_enumeration() {
    const Index extent = 1'000'000;
    const IndexSet both =
        Distribution::cyclic(1, extent, 7, 3).owned(2).intersect(Distribution::cyclic(1, extent, 5, 4).owned(3));
    Index runs = 0;
    both.for_each_run([&](Index, Index) { ++runs; });
    const Times all = time_of([&] {
        Index total = 0;
        both.for_each_run([&](Index, Index length) { total += length; });
        return total;
    });
    std::printf("\nenumeration of all %lld runs of cyclic(3) on 7 with cyclic(4) on 5, 10^6: %.1f ns for each run\n",
                static_cast<long long>(runs), all.median_ns / static_cast<double>(runs));
}

}  // namespace

int main() {
    std::printf("%-52s %6s %7s %14s %12s %12s %12s\n", "", "N", "pieces", "elements", "fastest ns", "median ns", "control ns");
    for (const Index extent : {Index{1'000'000}, Index{1'000'000'000}, Index{1'000'000'000'000}}) measure(extent);
    measure_enumeration();
    return sink == 0;  // every result is positive
}
