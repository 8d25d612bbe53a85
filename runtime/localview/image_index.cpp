// Image indices of one set as those of another (specification 5.5). In C they count from 0; -1: not an image of that set.
#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/localview.h"
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

int node_of_image(const execution::NodeSet& set, int index, int first) {
    if (index < first || index - first >= set.size())
        throw base::Error(fmt::format("there is no image {}: the images are {} to {}", index, first, set.size() - 1 + first));
    return set.world_rank(index - first);
}

// first: the number of the first image, in index and result.
template <typename Translate>
void translate(const char* name, int first, int number, const int index[], int result[], xmp_desc_t nodes,
               Translate&& translation) {
    const XMP_Site site = {nullptr, 0, name};
    execution::guarded(&site, [&] {
        const NodeSetPointer set = set_of(nodes);
        for (int i = 0; i < number; ++i) result[i] = first + translation(node_of_image(*set, index[i], first));
    });
}

int executing_number_of(int node) {
    return Context::get().executing()->number_of(node);
}

}  // namespace

void XMP_Primary_image_index(int first, int number, const int index[], int primary_index[], xmp_desc_t nodes) {
    translate("xmp_get_primary_image_index", first, number, index, primary_index, nodes, [](int node) { return node; });
}

void XMP_Current_image_index(int first, int number, const int index[], int current_index[], xmp_desc_t nodes) {
    translate("xmp_get_image_index", first, number, index, current_index, nodes, executing_number_of);
}

void xmp_get_primary_image_index(int number, const int index[], int primary_index[], xmp_desc_t nodes) {
    XMP_Primary_image_index(0, number, index, primary_index, nodes);
}

void xmp_get_image_index(int number, const int index[], int current_index[], xmp_desc_t nodes) {
    XMP_Current_image_index(0, number, index, current_index, nodes);
}

int XMP_Image_on(const XMP_Site* site, const XMP_Nodes* nodes, int index) {
    int result = 0;
    execution::guarded(site, [&] {
        const int node = node_of_image(*execution::nodes_of(nodes).set, index, 1);
        const int current = executing_number_of(node);
        result = current < 0 ? XMP_FIRST_OTHER_IMAGE + node : current + 1;
    });
    return result;
}

int XMP_This_image_on(const XMP_Site* site, const XMP_Nodes* nodes) {
    int result = 0;
    execution::guarded(site, [&] { result = 1 + execution::nodes_of(nodes).set->number_of(Context::get().world_rank()); });
    return result;
}
