// template, distribute and template_fix (specification 4.3.1, 4.3.3, 4.3.6).
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/array_table.hpp"

namespace kumihimo::execution {

namespace {

using sets::Distribution;

const char* format_name(int kind) {
    switch (kind) {
        case XMP_BLOCK:
            return "block";
        case XMP_CYCLIC:
            return "cyclic";
        case XMP_GBLOCK:
            return "gblock";
        default:
            return "*";
    }
}

std::string dimension_text(const XMP_Template& target, int d) {
    return fmt::format("dimension {} of template {}", d + 1, target.name);
}

void set_bounds(XMP_Template& target, const XMP_Bounds* bounds) {
    target.bounds.emplace(bounds, bounds + target.rank);
    for (int d = 0; d < target.rank; d++)
        if (bounds[d].upper < bounds[d].lower)
            throw base::Error(fmt::format("{} has no elements: its bounds are {}:{}", dimension_text(target, d),
                                          bounds[d].lower, bounds[d].upper),
                              "A template has at least one element in each dimension (specification 4.3.1).");
}

void set_gblock_sizes(XMP_Template& target, int d, const XMP_Format& format) {
    if (format.sizes == nullptr) return;
    const Index nodes = target.nodes->grid.extents()[format.onto];
    if (format.size < nodes)
        throw base::Error(fmt::format("gblock of {} has an array of {}, but the node array has {} there",
                                      dimension_text(target, d), base::counted(format.size, "element"),
                                      base::counted(nodes, "node")));
    for (Index k = 0; k < format.size; k++) {
        if (k < nodes ? format.sizes[k] >= 0 : format.sizes[k] == 0) continue;
        throw base::Error(fmt::format("gblock of {} has the {}size {} for subscript {} of the node array{}",
                                      dimension_text(target, d), k < nodes ? "negative " : "", format.sizes[k],
                                      k + target.nodes->first_subscript(),
                                      k < nodes ? "" : fmt::format(", which has {} there", base::counted(nodes, "node"))));
    }
    target.gblock_sizes[d].assign(format.sizes, format.sizes + nodes);
}

Distribution gblock_dimension(const XMP_Template& target, int d, const XMP_Bounds& bounds) {
    const auto& sizes = target.gblock_sizes[d];
    const Index sum = std::accumulate(sizes.begin(), sizes.end(), Index{0}), extent = bounds.upper - bounds.lower + 1;
    if (sum != extent)
        throw base::Error(fmt::format("the sizes of gblock add up to {}, but {} has {}", sum, dimension_text(target, d),
                                      base::counted(extent, "element")),
                          "The mapping array must hand out every element of the dimension exactly once.");
    return Distribution::gblock(bounds.lower, std::vector<Index>(sizes.begin(), sizes.end()));
}

Distribution dimension(const XMP_Template& target, int d) {
    const XMP_Format& format = target.formats[d];
    const XMP_Bounds& bounds = (*target.bounds)[d];
    if (format.kind == XMP_NOT_DISTRIBUTED) return Distribution::undistributed(bounds.lower, bounds.upper);
    const Index nodes = target.nodes->grid.extents()[format.onto];
    if (format.kind == XMP_CYCLIC)
        return Distribution::cyclic(bounds.lower, bounds.upper, nodes, format.size == 0 ? 1 : format.size);
    if (format.kind == XMP_GBLOCK) return gblock_dimension(target, d, bounds);
    if (format.size == 0) return Distribution::block(bounds.lower, bounds.upper, nodes);
    const Index extent = bounds.upper - bounds.lower + 1;
    if (static_cast<__int128>(format.size) * nodes < extent)
        throw base::Error(fmt::format("block({}) on {} holds {}, but {} has {}", format.size, base::counted(nodes, "node"),
                                      base::counted(format.size * nodes, "element"), dimension_text(target, d), extent),
                          fmt::format("Give a block size of at least {}, or block alone.", (extent + nodes - 1) / nodes));
    return Distribution::block(bounds.lower, bounds.upper, nodes, format.size);
}

// Once shape, distribution and all gblock sizes are known.
bool complete(const XMP_Template& target) {
    if (!target.bounds || target.nodes == nullptr) return false;
    for (int d = 0; d < target.rank; d++)
        if (target.formats[d].kind == XMP_GBLOCK && target.gblock_sizes[d].empty()) return false;
    return true;
}

void fix_if_complete(XMP_Template& target) {
    if (!complete(target)) return;
    std::vector<Distribution> dimensions;
    std::vector<int> onto;
    for (int d = 0; d < target.rank; d++) {
        dimensions.push_back(dimension(target, d));
        onto.push_back(target.formats[d].kind == XMP_NOT_DISTRIBUTED ? -1 : target.formats[d].onto);
    }
    target.mapping.emplace(target.nodes->grid, std::move(dimensions), std::move(onto));
    for (Array* const array : std::exchange(target.waiting, {})) allocate_array(*array, array->bounds->data());
}

void check_formats(const XMP_Template& target, const XMP_Nodes& nodes, const XMP_Format* formats) {
    std::vector<int> onto;
    for (int d = 0; d < target.rank; d++) {
        const XMP_Format& format = formats[d];
        if (format.kind == XMP_NOT_DISTRIBUTED) continue;
        if (format.onto < 0 || format.onto >= nodes.grid.rank() ||
            std::find(onto.begin(), onto.end(), format.onto) != onto.end())
            throw base::Error(fmt::format(
                "{} is distributed onto dimension {} of node array {}, which {}", dimension_text(target, d), format.onto + 1,
                nodes.name, format.onto >= nodes.grid.rank() ? fmt::format("has {}", nodes.grid.rank()) : "is taken already"));
        if (format.size == XMP_NO_SIZE)
            throw base::Error(fmt::format("{}(0) of {}", format_name(format.kind), dimension_text(target, d)),
                              "A block size is a positive number.");
        if (format.size < 0 || (format.kind != XMP_GBLOCK && format.sizes != nullptr))
            throw base::Error(fmt::format("{}({}) of {}", format_name(format.kind), format.size, dimension_text(target, d)),
                              "A block size is a positive number.");
        onto.push_back(format.onto);
    }
    if (static_cast<int>(onto.size()) != nodes.grid.rank())
        throw base::Error(
            fmt::format("template {} distributes {} onto node array {}, which has {}", target.name,
                        base::counted(static_cast<Index>(onto.size()), "dimension"), nodes.name, nodes.grid.rank()),
            "Give as many formats other than `*` as the node array has dimensions.");
}

void check_same_formats(const XMP_Template& target, const XMP_Format* formats) {
    for (int d = 0; d < target.rank; d++) {
        const XMP_Format &declared = target.formats[d], &given = formats[d];
        const bool same_size =
            declared.kind == XMP_GBLOCK || declared.kind == XMP_NOT_DISTRIBUTED || declared.size == given.size;
        if (declared.kind != given.kind || !same_size)
            throw base::Error(fmt::format("template_fix gives {} for {}, distribute said {}", format_name(given.kind),
                                          dimension_text(target, d), format_name(declared.kind)),
                              "Only the sizes of gblock may come later.");
    }
}

}  // namespace

XMP_Template* declare_template(const char* name, int order, int rank, const XMP_Bounds* bounds) {
    auto target = std::make_unique<XMP_Template>();
    target->name = name;
    target->order = order == XMP_ROW_MAJOR ? sets::Order::row_major : sets::Order::column_major;
    target->rank = rank;
    if (bounds != nullptr) set_bounds(*target, bounds);
    Context::get().add_object(target.get(), Kind::target);
    return target.release();
}

void distribute(XMP_Template& target, XMP_Nodes& nodes, const XMP_Format* formats) {
    if (target.nodes != nullptr)
        throw base::Error(fmt::format("template {} is distributed twice", target.name),
                          fmt::format("It is distributed onto {} already; declare another template.", target.nodes->name));
    check_formats(target, nodes, formats);
    target.nodes = &nodes;
    target.formats.assign(formats, formats + target.rank);
    target.gblock_sizes.assign(static_cast<std::size_t>(target.rank), {});
    for (int d = 0; d < target.rank; d++) {
        if (target.formats[d].kind == XMP_GBLOCK) set_gblock_sizes(target, d, formats[d]);
        target.formats[d].sizes = nullptr;  // the user's array is read during the call only
    }
    fix_if_complete(target);
}

void fix_template(XMP_Template& target, const XMP_Bounds* bounds, const XMP_Format* formats) {
    if (target.fixed()) throw base::Error(fmt::format("template {} is fixed already", target.name));
    if (target.nodes == nullptr)
        throw base::Error(fmt::format("template {} is fixed before it is distributed", target.name),
                          "Add a distribute directive.");
    if (bounds != nullptr) set_bounds(target, bounds);
    if (formats != nullptr) {
        check_same_formats(target, formats);
        for (int d = 0; d < target.rank; d++) {
            XMP_Format with_onto = formats[d];
            with_onto.onto = target.formats[d].onto;
            if (with_onto.kind == XMP_GBLOCK) set_gblock_sizes(target, d, with_onto);
        }
    }
    fix_if_complete(target);
    if (!target.fixed())
        throw base::Error(fmt::format("template_fix leaves template {} undefined", target.name),
                          target.bounds ? "Give the sizes of its gblock(*) dimensions: template_fix[gblock(sizes)] ..."
                                        : "Give its shape as well.");
}

// Arrays outlive their template only where a procedure still remembers the argument of its last call.
static void forget_arrays(const XMP_Template& target) {
    for (Array* const array : ArrayTable::get().arrays) {
        if (array->target != &target) continue;
        free_array(*array);
        array->target = nullptr;
    }
}

void release_template(XMP_Template* target) {
    if (target == nullptr || !is_object(target)) return;
    forget_arrays(*target);
    Context::get().remove_object(target);
    delete target;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Template* XMP_Template_declare(const XMP_Site* site, const char* name, int order, int rank,
                                              const XMP_Bounds* bounds) {
    return guarded(site, [&] { return declare_template(name, order, rank, bounds); });
}

extern "C" void XMP_Distribute(const XMP_Site* site, XMP_Template* target, XMP_Nodes* nodes, const XMP_Format* formats) {
    guarded(site, [&] { distribute(*target, *nodes, formats); });
}

extern "C" void XMP_Template_fix(const XMP_Site* site, XMP_Template* target, const XMP_Bounds* bounds,
                                 const XMP_Format* formats) {
    guarded(site, [&] { fix_template(*target, bounds, formats); });
}

extern "C" void XMP_Template_release(XMP_Template** target) {
    release_template(*target);
    *target = nullptr;
}
