#include "mpiio/engine/direct/two_phase.hpp"

namespace kumihimo::mpiio::direct {

FileDomains FileDomains::cut(Span span, int aggregators, int ranks, Index alignment, Index buffer) {
    const auto up = [&](Index offset) { return (offset + alignment - 1) / alignment * alignment; };
    FileDomains domains;
    domains.begin = span.begin / alignment * alignment;
    domains.end = span.end;
    const Index bytes = std::max<Index>(1, span.end - domains.begin);
    domains.share = up((bytes + aggregators - 1) / aggregators);
    domains.buffer = std::min(up(buffer), domains.share);
    const Index used = (bytes + domains.share - 1) / domains.share;
    for (Index number = 0; number < used; ++number)
        domains.aggregators.push_back(static_cast<int>(number * ranks / used));  // far from each other: on different machines
    return domains;
}

Span FileDomains::domain(std::size_t number) const {
    const Index from = begin + static_cast<Index>(number) * share;
    return {std::min(from, end), std::min(from + share, end)};
}

Span FileDomains::window(std::size_t number, Index round) const {
    const Span all = domain(number);
    const Index from = std::min(all.begin + round * buffer, all.end);
    return {from, std::min(from + buffer, all.end)};
}

}  // namespace kumihimo::mpiio::direct
