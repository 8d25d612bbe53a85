// Image indices of one set as those of another (specification 5.5). In C they count from 0; -1: not an image of that set.
#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/xmp.h"
#include "runtime/execution/objects.hpp"

namespace {

using namespace kumihimo;
using execution::Context;
using execution::NodeSetPointer;

// Without a descriptor: the executing set.
NodeSetPointer set_of(xmp_desc_t nodes) {
    return nodes == nullptr ? Context::get().executing() : execution::nodes_of(nodes).set;
}

template <typename Translate>
void translate(const char* name, int number, const int index[], int result[], xmp_desc_t nodes, Translate&& translation) {
    const XMP_Site site = {nullptr, 0, name};
    execution::guarded(&site, [&] {
        const NodeSetPointer set = set_of(nodes);
        for (int i = 0; i < number; ++i) {
            if (index[i] < 0 || index[i] >= set->size())
                throw base::Error(fmt::format("there is no image {}: the images are 0 to {}", index[i], set->size() - 1));
            result[i] = translation(set->world_rank(index[i]));
        }
    });
}

}  // namespace

void xmp_get_primary_image_index(int number, const int index[], int primary_index[], xmp_desc_t nodes) {
    translate("xmp_get_primary_image_index", number, index, primary_index, nodes, [](int node) { return node; });
}

void xmp_get_image_index(int number, const int index[], int current_index[], xmp_desc_t nodes) {
    translate("xmp_get_image_index", number, index, current_index, nodes,
              [](int node) { return Context::get().executing()->number_of(node); });
}
