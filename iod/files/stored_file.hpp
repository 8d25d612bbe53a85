// Files of the operating system, below a root.
#pragma once

#include "iod/files/root.hpp"
#include "iod/files/storage.hpp"

namespace kumihimo::iod::process {

Store store_of(std::shared_ptr<const Root> root);  // with a thread for each session

}  // namespace kumihimo::iod::process
