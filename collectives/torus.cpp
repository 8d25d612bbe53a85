#include "collectives/torus.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::collectives {

Torus Torus::parse(const std::string& text) {
    const auto wrong = [&](const char* what) {
        return base::Error(fmt::format("'{}' is not the shape of a network: {}", text, what),
                           "Write the extents of up to three axes, like 8x6x8; m after one (8x6mx8) for an axis that does not "
                           "close to a ring.");
    };
    Torus torus;
    const char* place = text.c_str();
    for (int axis = 0; axis < most_axes; ++axis) {
        char* end = nullptr;
        const long extent = std::strtol(place, &end, 10);
        if (end == place || extent < 1 || extent > (1 << 20)) throw wrong("an extent is missing or too large");
        torus.extents[axis] = static_cast<int>(extent);
        torus.wraps[axis] = *end != 'm';
        place = end + (*end == 'm');
        if (*place == '\0') return torus;
        if (*place++ != 'x') throw wrong("extents are separated by x");
    }
    throw wrong("it has more than three axes");
}

std::string Torus::text() const {
    std::string result;
    for (int axis = most_axes - 1; axis >= 0; --axis) {
        if (axis > 0 && result.empty() && extents[axis] == 1 && wraps[axis]) continue;  // is not there
        const std::string extent = std::to_string(extents[axis]) + (wraps[axis] ? "" : "m");
        result = result.empty() ? extent : extent + "x" + result;
    }
    return result;
}

Coordinates Torus::coordinates(int rank) const {
    return {rank % extents[0], rank / extents[0] % extents[1], rank / extents[0] / extents[1]};
}

int Torus::neighbour(int rank, int axis, int distance) const {
    Coordinates at = coordinates(rank);
    at[axis] = modulo(at[axis] + distance, extents[axis]);
    return this->rank(at);
}

int Torus::axes(std::array<int, most_axes>& list) const {
    int count = 0;
    for (int axis = 0; axis < most_axes; ++axis)
        if (extents[axis] > 1) list[count++] = axis;
    return count;
}

int Torus::axes() const {
    return static_cast<int>(std::count_if(extents.begin(), extents.end(), [](int extent) { return extent > 1; }));
}

bool Torus::both_ways() const {
    for (int axis = 0; axis < most_axes; ++axis)
        if (extents[axis] == 2 || (extents[axis] > 2 && !wraps[axis])) return false;
    return true;
}

int Torus::hops(int axis, int from, int to) const {
    if (!wraps[axis]) return to - from;
    const int forward = modulo(to - from, extents[axis]);
    return 2 * forward <= extents[axis] ? forward : forward - extents[axis];
}

}  // namespace kumihimo::collectives
