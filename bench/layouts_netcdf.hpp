// What a node moves of a netCDF variable over the layouts of layouts.cpp: through PnetCDF by hand, and through xmpnc.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/distributed_array.hpp"
#include "kumihimo/xmpnc.h"

namespace bench {

// Start, count and stride of the indices that one node owns of a dimension: one progression, or blocks of some elements.
struct OwnedIndices {
    std::vector<MPI_Offset> starts;
    MPI_Offset count = 0, stride = 1, last_count = 0;  // last_count: of the last block

    static OwnedIndices interval(MPI_Offset first, MPI_Offset end) {
        return {{first}, std::max<MPI_Offset>(end - first, 0), 1, std::max<MPI_Offset>(end - first, 0)};
    }
    static OwnedIndices block(MPI_Offset extent, MPI_Offset nodes, MPI_Offset node) {
        const MPI_Offset width = (extent + nodes - 1) / nodes;
        return interval(std::min(extent, node * width), std::min(extent, (node + 1) * width));
    }
    static OwnedIndices cyclic(MPI_Offset extent, MPI_Offset nodes, MPI_Offset node, MPI_Offset width) {
        if (width == 1) return {{node}, (extent - node + nodes - 1) / nodes, nodes, 0};
        OwnedIndices owned{{}, width, 1, width};
        for (MPI_Offset first = node * width; first < extent; first += nodes * width) {
            owned.starts.push_back(first);
            owned.last_count = std::min(width, extent - first);
        }
        return owned;
    }
};

class NetcdfFile {
public:
    NetcdfFile(const std::vector<int>& extents, std::vector<OwnedIndices> owned) : extents_(extents), owned_(std::move(owned)) {
        for (const OwnedIndices& one : owned_) {
            start_.push_back(one.starts.empty() ? 0 : one.starts.front());
            count_.push_back(one.starts.empty() ? 0 : one.count);
            stride_.push_back(one.stride);
        }
    }

    // PnetCDF's codes; NC_NOERR if all went well.
    int by_hand(const std::string& path, std::vector<double>& block, bool writes) const {
        int file = -1, id = 0;
        int code = writes ? ncmpi_create(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file)
                          : ncmpi_open(MPI_COMM_WORLD, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file);
        if (writes) code = std::min({code, define(file, &id), ncmpi_enddef(file)});
        code = std::min(code, owned_[0].starts.size() == 1 ? move_one(file, id, block, writes) : move(file, id, block, writes));
        return std::min(code, ncmpi_close(file));
    }

    int by_xmpnc(const std::string& path, const DistributedArray& array, bool writes) const {
        int file = -1, id = 0;
        int code = writes ? xmpnc_create_all(path.c_str(), mode, &file) : xmpnc_open_all(path.c_str(), NC_NOWRITE, &file);
        if (writes) code = std::min({code, define(file, &id), xmpnc_enddef(file)});
        code = std::min(code, writes ? xmpnc_put_vara_double_all(file, id, array.array())
                                     : xmpnc_get_vara_double_all(file, id, array.array()));
        return std::min(code, xmpnc_close(file));
    }

private:
    static constexpr int mode = NC_CLOBBER | NC_64BIT_DATA;

    int define(int file, int* id) const {
        std::vector<int> dimensions(extents_.size());
        int code = NC_NOERR;
        for (std::size_t d = 0; d < extents_.size(); ++d)
            code = std::min(code, ncmpi_def_dim(file, ("d" + std::to_string(d)).c_str(), extents_[d], &dimensions[d]));
        return std::min(code, ncmpi_def_var(file, "u", NC_DOUBLE, static_cast<int>(dimensions.size()), dimensions.data(), id));
    }

    int move_one(int file, int id, std::vector<double>& block, bool writes) const {
        return writes ? ncmpi_put_vars_double_all(file, id, start_.data(), count_.data(), stride_.data(), block.data())
                      : ncmpi_get_vars_double_all(file, id, start_.data(), count_.data(), stride_.data(), block.data());
    }

    int move(int file, int id, std::vector<double>& block, bool writes) const {
        const OwnedIndices& owned = owned_.front();
        std::vector<MPI_Offset> first = owned.starts, counts(first.size(), owned.count);
        if (!counts.empty()) counts.back() = owned.last_count;
        std::vector<MPI_Offset*> starts_of, counts_of;
        for (MPI_Offset& start : first) starts_of.push_back(&start);
        for (MPI_Offset& count : counts) counts_of.push_back(&count);
        const int pieces = static_cast<int>(first.size());
        return writes ? ncmpi_put_varn_double_all(file, id, pieces, starts_of.data(), counts_of.data(), block.data())
                      : ncmpi_get_varn_double_all(file, id, pieces, starts_of.data(), counts_of.data(), block.data());
    }

    std::vector<int> extents_;
    std::vector<OwnedIndices> owned_;  // of each dimension
    std::vector<MPI_Offset> start_, count_, stride_;
};

}  // namespace bench
