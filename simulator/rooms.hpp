// Memory of a large run, in few pages: ranks are met at random, and each small page would have to be looked up, too.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace kumihimo::simulator {

// Allocates huge pages where a whole one is asked for. They are a wish: without them a run takes longer, nothing else.
template <typename Value>
struct HugePages {
    using value_type = Value;
    HugePages() = default;
    template <typename Other>
    HugePages(const HugePages<Other>&) {}

    static Value* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(Value);
        const std::size_t alignment = bytes < page ? std::max<std::size_t>(alignof(Value), 64) : page;
        void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if (memory == nullptr) throw std::bad_alloc();
        if (bytes >= page) madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<Value*>(memory);
    }
    static void deallocate(Value* memory, std::size_t) { std::free(memory); }
    bool operator==(const HugePages&) const { return true; }

private:
    static constexpr std::size_t page = 2 << 20;
};

// Rooms for ranks' steps. A rank grows out of its room and leaves it to others.
template <typename Value>
class Rooms {
public:
    // Not initialized. It lasts as long as this.
    Value* take(std::size_t count) {
        std::vector<Value*>& left = left_[count];
        if (!left.empty()) {
            Value* const room = left.back();
            left.pop_back();
            return room;
        }
        if (count > left_in_block_) {
            left_in_block_ = std::max(count, std::min(2 * last_block_, most_of_block / sizeof(Value)));
            last_block_ = left_in_block_;
            blocks_.emplace_back(HugePages<Value>::allocate(left_in_block_));
            next_ = blocks_.back().get();
        }
        left_in_block_ -= count;
        return std::exchange(next_, next_ + count);
    }
    void leave(Value* room, std::size_t count) { left_[count].push_back(room); }

private:
    static constexpr std::size_t most_of_block = 64 << 20;
    struct Freed {
        void operator()(Value* block) const { HugePages<Value>::deallocate(block, 0); }
    };

    std::vector<std::unique_ptr<Value, Freed>> blocks_;
    Value* next_ = nullptr;
    std::size_t left_in_block_ = 0, last_block_ = 1024;
    std::map<std::size_t, std::vector<Value*>> left_;
};

}  // namespace kumihimo::simulator
