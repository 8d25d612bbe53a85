// Which candidate a rule is worth, and for which calls it is: pure.
#pragma once

#include <vector>

#include "collectives/selection.hpp"

namespace kumihimo::collectives::tune {

struct Choice {
    int candidate = 0;  // 0: native
    double gain = 1;    // native's median time by the candidate's
};

// samples[c]: seconds of candidate c, native first; at least one each. A candidate is preferred to native only if three
// quarters of its samples are below three quarters of native's: what noise can bring about is no reason for a rule. Of several
// the least median.
Choice choose(std::vector<std::vector<double>> samples);

// Vectors or blocks of a trial, and those of the next one: what was found holds up to there.
struct Sizes {
    Bytes bytes, next;
};

// The rule for calls of such sizes on so many ranks and hosts.
Rule rule_for(Operation operation, const Sizes& sizes, int ranks, int hosts);

}  // namespace kumihimo::collectives::tune
