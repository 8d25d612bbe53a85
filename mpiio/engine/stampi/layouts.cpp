#include "mpiio/engine/stampi/layouts.hpp"

#include <algorithm>

namespace kumihimo::mpiio::stampi {

namespace {

constexpr Index part_bytes = Index{1} << 20;  // enough that a frame costs little, and few enough that much overlaps
constexpr std::size_t most_nests = 1 << 14;   // of a part that is all crumbs

iod::LayoutNest on_the_wire(const sets::Nest& nest) {
    iod::LayoutNest result{nest.offset, nest.length, {}};
    for (const sets::Level& level : nest.levels) result.levels.push_back({level.count, level.stride});
    return result;
}

}  // namespace

void for_each_part(const Access& access, const std::function<bool(const Part&)>& visit) {
    bool going = true;
    Part part;
    const auto finish = [&] {
        if (part.bytes > 0 && going) going = visit(part);
        part = {{}, part.begin + part.bytes, 0};
    };
    const View& view = access.view;
    for (Index begin = 0; begin < access.bytes && going; begin += part_bytes) {
        const Index end = std::min(access.bytes, begin + part_bytes);
        sets::for_each_tiled_nest(view.pattern, view.period, view.displacement, access.position + begin, access.position + end,
                                  [&](const sets::Nest& nest) {
                                      part.layout.nests.push_back(on_the_wire(nest));
                                      part.bytes += bytes_of(part.layout.nests.back());
                                      if (part.layout.nests.size() == most_nests) finish();
                                  });
        finish();
    }
}

}  // namespace kumihimo::mpiio::stampi
