// Owns a file descriptor.
#pragma once

#include <utility>

namespace kumihimo::iod {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    static Descriptor event();  // an eventfd; throws base::Error if there is none
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_ = -1;
};

// Of an eventfd: wakes who waits for it, and takes what has woken this process.
void ring_bell(const Descriptor& event);
void silence_bell(const Descriptor& event);

}  // namespace kumihimo::iod
