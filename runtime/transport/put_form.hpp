// What the members share. They see a get as a put that goes back: `to` is at the other image, `from` here.
#pragma once

#include <cstddef>
#include <vector>

#include "copying/execute.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

using sets::End;

// What a library moves by one call as it is: nothing to order and nothing to cut. Most transfers of programs are this.
inline bool one_run(const Correspondence& shape, std::size_t limit_bytes) {
    return shape.contiguous() && shape.run() > 0 && static_cast<std::size_t>(shape.run()) <= limit_bytes;
}

inline std::size_t bytes_of(const Correspondence& shape) {
    return static_cast<std::size_t>(shape.bytes());
}

// The elements here without gaps, in the order of the shape; and back from there. The rest of the transfer:
// shape.dense(End::from).
inline std::vector<std::byte> packed(const Correspondence& shape, const std::byte* from) {
    std::vector<std::byte> result(bytes_of(shape));
    copying::execute(shape.dense(End::to), result.data(), from);
    return result;
}
inline void unpack(const Correspondence& shape, const std::byte* packed, std::byte* to) {
    copying::execute(shape.dense(End::to).turned(), to, packed);
}

}  // namespace kumihimo::transport
