#include "iod/records/page_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace kumihimo::iod {

PageMemory page_memory(std::size_t bytes) {
    const bool huge = bytes % huge_page_bytes == 0;
    PageMemory memory(static_cast<std::byte*>(std::aligned_alloc(huge ? huge_page_bytes : page_bytes, bytes)));
    if (!memory) throw std::bad_alloc();
    if (huge) ::madvise(memory.get(), bytes, MADV_HUGEPAGE);  // a wish: small pages do as well
    return memory;
}

}  // namespace kumihimo::iod
