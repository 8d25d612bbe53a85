// RANDOM_INIT (Fortran 2018, 16.9.155) by libgfortran's own, which knows no other images.
#include <vector>

#include "runtime/caf/abi.hpp"

using kumihimo::caf::BasicType;

extern "C" {
[[gnu::weak]] void _gfortran_random_init(int repeatable, int image_distinct, int image);  // libgfortran's, as the next
[[gnu::weak]] void _gfortran_random_seed_i4(int* size, Descriptor* put, Descriptor* get);
int _gfortran_caf_this_image(int distance);
void _gfortran_caf_co_broadcast(const Descriptor* variable, int source_image, int* stat, char* message, std::size_t length);
}

namespace kumihimo::caf {

namespace {

// A seed that no image could compute by itself comes from image 1.
void share_seed() {
    int size = 0;
    _gfortran_random_seed_i4(&size, nullptr, nullptr);
    std::vector<int> seed(static_cast<std::size_t>(size));
    Descriptor descriptor{};
    descriptor.base = seed.data();
    descriptor.offset = -1;
    descriptor.type = {sizeof(int), 0, 1, static_cast<signed char>(BasicType::integer), 0};
    descriptor.span = sizeof(int);
    descriptor.dimension[0] = {1, 1, size};
    _gfortran_random_seed_i4(nullptr, nullptr, &descriptor);
    _gfortran_caf_co_broadcast(&descriptor, 1, nullptr, nullptr, 0);
    _gfortran_random_seed_i4(nullptr, &descriptor, nullptr);
}

}  // namespace

}  // namespace kumihimo::caf

extern "C" void _gfortran_caf_random_init(bool repeatable, bool image_distinct) {
    const bool shared = !repeatable && !image_distinct;  // libgfortran stops images but the first that ask for that
    const int image = _gfortran_caf_this_image(0);
    if (!shared || image == 1) _gfortran_random_init(repeatable, image_distinct, image);
    if (shared) kumihimo::caf::share_seed();
}
