// What the environment says about collective operations: KUMIHIMO_COLL_TUNE, _TABLE, _SHAPE, _SEGMENT, _WORK, _AHEAD,
// _ONE_COPY. Read once; wrong ones are told once and count as none.
#pragma once

#include <cstddef>

#include "collectives/selection.hpp"

namespace kumihimo::collectives {

struct Settings {
    Selection rules;           // the user's
    Selection rules_one_node;  // these, and those known to be good where all ranks share memory
    Torus shape;
    Bytes segment_bytes, work_limit;
    std::size_t look_ahead;
    unsigned long fingerprint;  // equal settings have equal ones
};
const Settings& settings();

// Of the tuner, which tries one rule after the other. All ranks must do the same; no collective operation is under way.
void replace_rules(const std::string& rules);

}  // namespace kumihimo::collectives
