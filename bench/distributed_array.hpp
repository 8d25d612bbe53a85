// A distributed array of doubles as generated code makes it, with the nodes and the template that it needs.
#pragma once

#include <vector>

#include "kumihimo/generated.h"

namespace bench {

class DistributedArray {
public:
    // grid: the nodes in each of their dimensions; onto: for each dimension of the array one of the grid, -1 where each node
    // has all of it; format: of a template dimension on a dimension of the grid. Collective.
    template <class Format>
    DistributedArray(const std::vector<XMP_Index>& grid, const std::vector<XMP_Index>& extents, const std::vector<int>& onto,
                     const Format& format) {
        const int places = static_cast<int>(grid.size()), rank = static_cast<int>(extents.size());
        nodes_ = XMP_Nodes_declare(XMP_SITE("nodes p"), "p", XMP_ROW_MAJOR, places, grid.data(), XMP_NODES_ENTIRE, nullptr);
        std::vector<XMP_Bounds> bounds, template_bounds(grid.size());
        std::vector<XMP_Align> align;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            bounds.push_back({0, extents[d] - 1});
            align.push_back({onto[d], 0});
            if (onto[d] >= 0) template_bounds[static_cast<std::size_t>(onto[d])] = bounds[d];
        }
        std::vector<XMP_Format> formats;
        for (int d = 0; d < places; ++d) formats.push_back(format(d));
        target_ = XMP_Template_declare(XMP_SITE("template t"), "t", XMP_ROW_MAJOR, places, template_bounds.data());
        XMP_Distribute(XMP_SITE("distribute t"), target_, nodes_, formats.data());
        array_ = XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, sizeof(double), rank,
                                   bounds.data(), target_, align.data(), nullptr);
    }
    ~DistributedArray() {
        XMP_Array_release(&array_);
        XMP_Template_release(&target_);
        XMP_Nodes_release(&nodes_);
    }
    DistributedArray(const DistributedArray&) = delete;
    DistributedArray& operator=(const DistributedArray&) = delete;

    double* block() const { return static_cast<double*>(array_->base); }
    XMP_Array* array() const { return array_; }

private:
    XMP_Nodes* nodes_;
    XMP_Template* target_;
    XMP_Array* array_;
};

}  // namespace bench
