// An assignment between memory of images: get, send and sendget, whatever names the two sides.
#pragma once

#include "runtime/caf/elements.hpp"
#include "runtime/caf/token.hpp"
#include "runtime/execution/guard.hpp"
#include "runtime/localview/coarrays.hpp"

namespace kumihimo::caf {

// Memory of an image: in a coarray's block; without blocks, of its process at the address `offset`.
using localview::Place;

struct Side {
    Place place;
    Elements elements;
};

Place memory_here(void* address);
Place memory_of_process(int node, void* address);  // an address as that image has it
Place moved(Place place, std::ptrdiff_t bytes);

// The number of the image in the entire set. Throws base::Error for one that the current team has not.
int node_of_image(int image);
int status_of(int image);  // of stat= in an access: stat_failed_image or success
Place place_in(const Token& token, std::size_t offset, int image);
// Throws base::Error where elements behind `offset` lie outside of the coarray.
void check_inside(const Token& token, std::size_t offset, int image, const Elements& elements);

// A run of bytes of another image's memory.
void read_bytes(const Place& from, void* to, std::size_t bytes);

Side side_here(const Descriptor& descriptor, int kind);

// to = from: converted, and as if all of `from` were read before anything is written. Throws base::Error.
void assign(const Side& to, const Side& from);

// The body of a statement with stat=, which does nothing where the image has failed.
template <typename Body>
void statement(const XMP_Site& site, int* stat, int image, Body&& body) {
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, nullptr, 0};
        outcome.of([&] {
            if (stat == nullptr || (*stat = status_of(image)) == stat_success) body();
        });
    });
}

// The same of one that assigns to an image. gfortran hands the stat= of an assignment on to nobody; without one, what is
// assigned to an image that has died is lost with that image, and the next image control says so.
template <typename Body>
void assignment(const XMP_Site& site, int* stat, int image, Body&& body) {
    statement(site, stat, image, [&] {
        try {
            body();
        } catch (const localview::Missing&) {
            if (stat != nullptr) throw;
        }
    });
}

}  // namespace kumihimo::caf
