// What the file service of a machine does when it is asked: opens files, and answers questions about those that are not open.
#pragma once

#include <memory>

#include "iod/files/root.hpp"
#include "iod/files/storage.hpp"
#include "iod/link/service.hpp"

namespace kumihimo::iod::process {

// Which messages open something at an agent that serves the files under `root`.
// `store`: how those are kept that are opened.
Openers file_openers(std::shared_ptr<const Root> root, Store store);

}  // namespace kumihimo::iod::process
