#include "sets/range.hpp"

#include <algorithm>
#include <stdexcept>

#include "sets/arithmetic.hpp"

namespace kumihimo::sets {

Range Range::triplet(Index first, Index last, Index step) {
    if (step == 0) throw std::invalid_argument("the step of a section is 0; it must be positive or negative");
    const Wide distance = step > 0 ? Wide(last) - first : Wide(first) - last;
    const Wide stride = step > 0 ? Wide(step) : -Wide(step);
    return {first, distance < 0 ? 0 : static_cast<Index>(distance / stride + 1), step};
}

bool Range::contains(Index index) const {
    if (empty()) return false;
    const Wide distance = step > 0 ? Wide(index) - first : Wide(first) - index;
    const Wide stride = step > 0 ? Wide(step) : -Wide(step);
    return distance >= 0 && distance % stride == 0 && distance / stride < count;
}

Range Range::ascending() const {
    if (step > 0) return *this;
    return {empty() ? first : last(), count, -step};
}

Range Range::shifted(Index offset) const {
    return {first + offset, count, step};
}

namespace {

// Both ascending and not empty.
Range intersect_ascending(const Range& a, const Range& b) {
    const Range none{a.first, 0, 1};
    const Wide low = std::max(a.first, b.first), high = std::min(a.last(), b.last());
    if (low > high) return none;
    const auto [gcd, inverse] = extended_gcd(a.step, b.step);
    const Wide difference = Wide(b.first) - a.first;
    if (difference % gcd != 0) return none;
    // Element a.first + i * a.step lies on b's lattice iff i = difference / gcd * inverse (mod b.step / gcd).
    const Wide modulus = b.step / gcd;
    const Wide i = floor_modulo(floor_modulo(difference / gcd, modulus) * floor_modulo(inverse, modulus), modulus);
    const Wide lattice_point = a.first + i * a.step, period = a.step * modulus;
    const Wide first = low + floor_modulo(lattice_point - low, period);
    if (first > high) return none;
    const Wide count = (high - first) / period + 1;
    // A single element has no period to speak of; the true one may not fit an Index.
    return {static_cast<Index>(first), static_cast<Index>(count), count == 1 ? a.step : static_cast<Index>(period)};
}

}  // namespace

Range intersect(const Range& a, const Range& b) {
    if (a.empty() || b.empty()) return {a.first, 0, a.step};
    const Range result = intersect_ascending(a.ascending(), b.ascending());
    if (a.step > 0 || result.empty()) return result;
    return {result.last(), result.count, -result.step};
}

}  // namespace kumihimo::sets
