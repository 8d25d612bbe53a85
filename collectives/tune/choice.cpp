#include "collectives/tune/choice.hpp"

#include <algorithm>

namespace kumihimo::collectives::tune {

namespace {

// Of sorted samples.
double quantile(const std::vector<double>& samples, double part) {
    return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1) + 0.5)];
}

}  // namespace

Choice choose(std::vector<std::vector<double>> samples) {
    for (std::vector<double>& of_candidate : samples) std::sort(of_candidate.begin(), of_candidate.end());
    const std::vector<double>& native = samples[0];
    Choice best;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        const double median = quantile(samples[i], 0.5), gain = quantile(native, 0.5) / median;
        if (quantile(samples[i], 0.75) < quantile(native, 0.25) && gain > best.gain) best = {static_cast<int>(i), gain};
    }
    return best;
}

Rule rule_for(Operation operation, const Sizes& sizes, int ranks, int hosts) {
    Rule rule{operation};
    // Without data the MPI libraries do nothing at all; only a barrier has work to do then.
    rule.least_bytes = sizes.bytes == sizeof(double) ? 1 : size_in_rules(operation, sizes.bytes, ranks);
    rule.most_bytes = size_in_rules(operation, sizes.next, ranks) - 1;
    rule.least_ranks = rule.most_ranks = ranks;
    rule.least_hosts = rule.most_hosts = hosts;
    return rule;
}

}  // namespace kumihimo::collectives::tune
