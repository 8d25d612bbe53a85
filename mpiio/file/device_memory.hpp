// Memory of a GPU is not ours to read: a plain copy would crash. Whoever uses one has its runtime loaded, which tells.
#pragma once

namespace kumihimo::mpiio {

bool is_device_memory(const void* pointer);

}  // namespace kumihimo::mpiio
