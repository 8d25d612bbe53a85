// What the environment says about collective operations: KUMIHIMO_COLL_TUNE, _TABLE, _SHAPE, _SEGMENT, _WORK, _AHEAD,
// _ONE_COPY. Read once; where one makes no sense, none counts.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/settings_check.hpp"
#include "collectives/selection.hpp"

namespace kumihimo::collectives {

struct Settings {
    Selection rules;                 // the user's
    Selection with_built_in;         // these, and those known to be good where each rank has a processor
    Selection with_built_in_shared;  // where ranks outnumber processors
    Torus shape;
    Bytes segment_bytes, work_limit;
    std::size_t look_ahead;
    std::string complaint;           // what makes no sense; empty: nothing
    unsigned long replacements = 0;  // of the rules
};
const Settings& settings();

// What the rules, the table and the shape must be.
std::span<const base::TextCheck> text_checks();

// Of the tuner, which tries one rule after the other. All ranks must do the same; no collective operation is under way.
void replace_rules(const std::string& rules);

}  // namespace kumihimo::collectives
