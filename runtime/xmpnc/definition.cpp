// Dimensions and a variable from an array's descriptor.
#include "base/error.hpp"
#include "kumihimo/xmpnc.h"
#include "runtime/execution/objects.hpp"
#include "runtime/xmpio/section.hpp"
#include "runtime/xmpnc/dataset.hpp"
#include "runtime/xmpnc/types.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::xmpnc {

namespace {

// The dimension of that name, which is defined unless there is one of that length.
int dimension(int ncid, const std::string& name, MPI_Offset length) {
    int id = -1;
    if (ncmpi_inq_dimid(ncid, name.c_str(), &id) != NC_NOERR) {
        require(ncmpi_def_dim(ncid, name.c_str(), length, &id), "dimension '" + name + "'");
        return id;
    }
    MPI_Offset found = 0;
    int unlimited = -1;
    require(ncmpi_inq_unlimdim(ncid, &unlimited));
    require(ncmpi_inq_dimlen(ncid, id, &found));
    if (length == NC_UNLIMITED ? id != unlimited : id == unlimited || found != length)
        throw CodedError(NC_EDIMSIZE, "there is a dimension '" + name + "' of another length already");
    return id;
}

void define(int ncid, const char* name, nc_type xtype, xmp_array_t ap, int ndims, const char* const names[], int* varidp) {
    const execution::Array& array = execution::array_of(static_cast<const void*>(ap));
    const ElementType* const type = element_type(array.type);
    if (type == nullptr) throw CodedError(NC_EBADTYPE, "netCDF does not know the element type of array '" + array.name + "'");
    const std::vector<int> order = sets::slowest_first(*array.mapping);
    const int leading = ndims - static_cast<int>(order.size());
    if (leading != 0 && leading != 1)
        throw CodedError(NC_EINVAL, "array '" + array.name + "' has " + std::to_string(order.size()) +
                                        " dimensions: it needs as many names, or one more in front for the records");
    std::vector<int> ids;
    for (int d = 0; d < ndims; ++d)
        ids.push_back(dimension(ncid, names[d], d < leading ? NC_UNLIMITED : array.mapping->extent(order[d - leading])));
    require(ncmpi_def_var(ncid, name, xtype == NC_NAT ? type->external : xtype, ndims, ids.data(), varidp),
            "variable '" + std::string(name) + "'");
}

}  // namespace

}  // namespace kumihimo::xmpnc

using namespace kumihimo::xmpnc;

extern "C" int xmpnc_def_var_of(int ncid, const char* name, nc_type xtype, xmp_array_t ap, int ndims,
                                const char* const dimnames[], int* varidp) {
    const CollectiveCall noted("xmpnc_def_var_of");
    const Dataset* const dataset = Dataset::find(ncid);
    if (dataset == nullptr) return NC_EBADID;
    auto failure = failure_of([&] { define(ncid, name, xtype, ap, ndims, dimnames, varidp); });
    if (failure) failure->text = "'" + dataset->path() + "': " + failure->text;
    failure = kumihimo::xmpio::agree(dataset->communicator(), failure);
    int rank = 0;
    MPI_Comm_rank(dataset->communicator(), &rank);
    return told("xmpnc_def_var_of", failure, rank == 0);
}
