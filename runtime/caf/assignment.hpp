// An assignment between memory of images: get, send and sendget, whatever names the two sides.
#pragma once

#include "runtime/caf/elements.hpp"
#include "runtime/caf/token.hpp"
#include "runtime/localview/coarrays.hpp"

namespace kumihimo::caf {

// Memory of an image: in a coarray's block; without blocks, of its process at the address `offset`.
using localview::Place;

struct Side {
    Place place;
    Elements elements;
};

Place memory_here(void* address);
// Throws base::Error for an image that the current team has not, and where the elements lie outside of the image's block.
Place locate(const Token& token, std::size_t offset, int image, const Elements& elements);

// The number of the image in the entire set. Throws base::Error for one that the current team has not.
int node_of_image(int image);

// A run of bytes of another image's memory.
void read_bytes(const Place& from, void* to, std::size_t bytes);

// to = from: converted, and as if all of `from` were read before anything is written. Throws base::Error.
void assign(const Side& to, const Side& from);

}  // namespace kumihimo::caf
