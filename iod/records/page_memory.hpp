// Memory in whole pages, in huge ones where it is large: a first touch then costs one fault for 2 MiB instead of 512, and a
// device that writes from it finds it in few stretches.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace kumihimo::iod {

struct FreePageMemory {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using PageMemory = std::unique_ptr<std::byte, FreePageMemory>;

constexpr std::size_t page_bytes = 4096, huge_page_bytes = std::size_t{2} << 20;

PageMemory page_memory(std::size_t bytes);  // a multiple of page_bytes. Throws std::bad_alloc

}  // namespace kumihimo::iod
