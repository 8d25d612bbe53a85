// Which engine the settings choose for a file (selection.hpp), for all who open files by an engine.
#pragma once

#include <span>

#include "base/settings_check.hpp"
#include "mpiio/engine/selection.hpp"

namespace kumihimo::mpiio {

// By KUMIHIMO_IO as it is now.
Selection selection_by_settings();
// Of the settings of files that are text: for base::agree_on_settings and base::complaints.
std::span<const base::TextCheck> text_checks();

}  // namespace kumihimo::mpiio
