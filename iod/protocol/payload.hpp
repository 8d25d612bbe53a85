// Bytes of a message. Making room for them does not fill it with zeros: whoever makes it overwrites it at once, as a rule from
// a socket or a file, and a pass over a megabyte costs as much as a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace kumihimo::iod {

template <typename Element>
class Unfilled : public std::allocator<Element> {
public:
    template <typename Other>
    struct rebind {
        using other = Unfilled<Other>;
    };
    Unfilled() = default;
    template <typename Other>
    Unfilled(const Unfilled<Other>&) {}

    template <typename Made, typename... Arguments>
    void construct(Made* place, Arguments&&... arguments) {
        if constexpr (sizeof...(Arguments) == 0)
            ::new (static_cast<void*>(place)) Made;
        else
            ::new (static_cast<void*>(place)) Made(std::forward<Arguments>(arguments)...);
    }
};

// Of what is made with a number of bytes alone the contents are undefined.
using Payload = std::vector<std::byte, Unfilled<std::byte>>;

}  // namespace kumihimo::iod
