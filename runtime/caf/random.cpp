// RANDOM_INIT (Fortran 2018, 16.9.155) by libgfortran's own, which knows no other images.
#include <cstdint>
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

class Seed {
public:
    Seed() : words_(size()) {
        descriptor_.base = words_.data();
        descriptor_.offset = -1;
        descriptor_.type = {sizeof(std::uint32_t), 0, 1, static_cast<signed char>(BasicType::integer), 0};
        descriptor_.span = sizeof(std::uint32_t);
        descriptor_.dimension[0] = {1, 1, static_cast<std::ptrdiff_t>(words_.size())};
        _gfortran_random_seed_i4(nullptr, nullptr, &descriptor_);
    }
    std::vector<std::uint32_t>& words() { return words_; }
    const Descriptor& descriptor() const { return descriptor_; }
    void put() { _gfortran_random_seed_i4(nullptr, &descriptor_, nullptr); }

private:
    static std::size_t size() {
        int words = 0;
        _gfortran_random_seed_i4(&words, nullptr, nullptr);
        return static_cast<std::size_t>(words);
    }
    std::vector<std::uint32_t> words_;
    Descriptor descriptor_{};
};

// A seed that no image could compute by itself comes from image 1.
void share_seed() {
    Seed seed;
    _gfortran_caf_co_broadcast(&seed.descriptor(), 1, nullptr, nullptr, 0);
    seed.put();
}

// libgfortran 12 repeats one seed on all images even if they are to be distinct. Odd factors keep the words of any two apart.
void separate_seeds(int image) {
    constexpr std::uint32_t factor = 0x9E3779B1;
    Seed seed;
    for (std::uint32_t& word : seed.words()) word ^= static_cast<std::uint32_t>(image - 1) * factor;
    seed.put();
}

}  // namespace

}  // namespace kumihimo::caf

extern "C" void _gfortran_caf_random_init(bool repeatable, bool image_distinct) {
    const bool shared = !repeatable && !image_distinct;
    const int image = _gfortran_caf_this_image(0);
    // libgfortran stops images but the first two; what is not repeatable is another seed for each caller.
    if (!shared || image == 1) _gfortran_random_init(repeatable, false, 1);
    if (shared) kumihimo::caf::share_seed();
    if (repeatable && image_distinct) kumihimo::caf::separate_seeds(image);
}
