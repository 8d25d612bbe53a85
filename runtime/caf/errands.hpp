// What one image lets another do: bytes go there, and others come back. The other one does it while it waits for whatever
// (base/progress.hpp), so images that compute for long let others wait.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kumihimo::caf {

using Serve = std::vector<std::byte>(std::span<const std::byte> request);  // must not wait

void open_errands(Serve* serve);  // collective over the entire set; once open it does nothing
// Throws localview::Missing if the image fails. node: in the entire set.
std::vector<std::byte> run_errand(int node, const std::vector<std::byte>& request);

}  // namespace kumihimo::caf
