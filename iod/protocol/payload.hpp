// Bytes of a message. Making room for them does not fill it with zeros: whoever makes it overwrites it at once, as a rule from
// a socket or a file, and a pass over a megabyte costs as much as a copy. (A vector with an allocator that does not fill would
// grow and insert byte after byte.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "iod/protocol/payload_memory.hpp"

namespace kumihimo::iod {

class Payload {
public:
    Payload() = default;
    explicit Payload(std::size_t size) { resize(size); }  // their contents are undefined
    Payload(std::size_t size, std::byte each) { resize(size, each); }
    explicit Payload(std::span<const std::byte> bytes) { append(bytes); }
    Payload(const Payload& other) : Payload(std::span(other)) {}
    Payload(Payload&& other) noexcept { swap(other); }
    Payload& operator=(Payload other) noexcept {
        swap(other);
        return *this;
    }
    ~Payload() { give_back(); }
    void swap(Payload& other) noexcept {
        std::swap(block_, other.block_);
        std::swap(size_, other.size_);
    }

    std::byte* data() { return block_.begin; }
    const std::byte* data() const { return block_.begin; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return block_.bytes; }
    bool empty() const { return size_ == 0; }
    std::byte* begin() { return data(); }
    std::byte* end() { return data() + size_; }
    const std::byte* begin() const { return data(); }
    const std::byte* end() const { return data() + size_; }
    std::byte& operator[](std::size_t at) { return block_.begin[at]; }
    std::byte operator[](std::size_t at) const { return block_.begin[at]; }

    void reserve(std::size_t capacity) {
        if (capacity <= block_.bytes) return;
        const PayloadMemory::Block larger = PayloadMemory::of_process().take(capacity);
        if (size_ > 0) std::memcpy(larger.begin, data(), size_);
        give_back();
        block_ = larger;
    }
    void resize(std::size_t size) {  // the contents of what is added are undefined
        if (size > block_.bytes) reserve(std::max(size, 2 * block_.bytes));
        size_ = size;
    }
    void resize(std::size_t size, std::byte added) {
        const std::size_t before = size_;
        resize(size);
        if (size > before) std::fill(begin() + before, end(), added);
    }
    void append(std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        resize(size_ + bytes.size());
        std::memcpy(end() - bytes.size(), bytes.data(), bytes.size());
    }
    void clear() { size_ = 0; }

    friend bool operator==(const Payload& one, const Payload& other) { return std::ranges::equal(one, other); }

private:
    void give_back() noexcept {
        if (block_.begin != nullptr) PayloadMemory::of_process().give_back(block_);
    }

    PayloadMemory::Block block_;
    std::size_t size_ = 0;
};

}  // namespace kumihimo::iod
