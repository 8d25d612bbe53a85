// Which candidate a rule is worth: pure statistics.
#pragma once

#include <vector>

namespace kumihimo::collectives::tune {

struct Choice {
    int candidate = 0;  // 0: native
    double gain = 1;    // native's median time by the candidate's
};

// samples[c]: seconds of candidate c, native first; at least one each. A candidate is preferred to native only if three
// quarters of its samples are below three quarters of native's: what noise can bring about is no reason for a rule. Of several
// the least median.
Choice choose(std::vector<std::vector<double>> samples);

}  // namespace kumihimo::collectives::tune
