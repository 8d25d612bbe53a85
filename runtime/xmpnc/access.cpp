#include "runtime/xmpnc/access.hpp"

#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "runtime/xmpnc/dataset.hpp"
#include "runtime/xmpnc/plan.hpp"

namespace kumihimo::xmpnc {

namespace {

MPI_Datatype mpi_type(int type) {
    switch (type) {
        case XMP_TYPE_CHAR:
            return MPI_CHAR;
        case XMP_TYPE_SCHAR:
            return MPI_SIGNED_CHAR;
        case XMP_TYPE_UCHAR:
            return MPI_UNSIGNED_CHAR;
        case XMP_TYPE_SHORT:
            return MPI_SHORT;
        case XMP_TYPE_USHORT:
            return MPI_UNSIGNED_SHORT;
        case XMP_TYPE_INT:
            return MPI_INT;
        case XMP_TYPE_UINT:
            return MPI_UNSIGNED;
        case XMP_TYPE_LONG:
            return MPI_LONG;
        case XMP_TYPE_FLOAT:
            return MPI_FLOAT;
        case XMP_TYPE_DOUBLE:
            return MPI_DOUBLE;
        case XMP_TYPE_LONGLONG:
            return MPI_LONG_LONG;
        case XMP_TYPE_ULONGLONG:
            return MPI_UNSIGNED_LONG_LONG;
        case XMP_TYPE_ULONG:
            return MPI_UNSIGNED_LONG;
        default:
            return MPI_DATATYPE_NULL;
    }
}

// PnetCDF's code wherever a sentence is not enough.
struct CodedError : base::Error {
    CodedError(int number, const std::string& what) : base::Error(what), code(number) {}
    int code;
};

void require(int code, const std::string& context = {}) {
    if (code != NC_NOERR) throw CodedError(code, (context.empty() ? "" : context + ": ") + ncmpi_strerror(code));
}

// The variable as the header describes it: equal on all nodes.
struct Variable {
    std::string name;
    std::vector<MPI_Offset> extents;
    bool record = false;
    MPI_Offset offset = 0, record_bytes = 0, element_bytes = 0;

    Variable(int ncid, int varid) {
        int rank = 0, unlimited = -1;
        require(ncmpi_inq_varndims(ncid, varid, &rank), "variable " + std::to_string(varid));
        char text[NC_MAX_NAME + 1] = {};
        require(ncmpi_inq_varname(ncid, varid, text));
        name = text;
        std::vector<int> dimensions(rank);
        require(ncmpi_inq_vardimid(ncid, varid, dimensions.data()));
        require(ncmpi_inq_unlimdim(ncid, &unlimited));
        for (const int dimension : dimensions) require(ncmpi_inq_dimlen(ncid, dimension, &extents.emplace_back()));
        record = rank > 0 && dimensions[0] == unlimited;
        if (record) require(ncmpi_inq_recsize(ncid, &record_bytes));
        ncmpi_inq_varoffset(ncid, varid, &offset);  // fails in define mode; the access itself then says so
        nc_type type = NC_NAT;
        require(ncmpi_inq_vartype(ncid, varid, &type));
        element_bytes = type == NC_BYTE || type == NC_CHAR || type == NC_UBYTE  ? 1
                        : type == NC_SHORT || type == NC_USHORT                 ? 2
                        : type == NC_INT || type == NC_UINT || type == NC_FLOAT ? 4
                                                                                : 8;
    }

    MPI_Offset byte_of(const std::vector<MPI_Offset>& indices) const {
        MPI_Offset linear = 0;
        for (std::size_t d = record ? 1 : 0; d < indices.size(); ++d) linear = linear * extents[d] + indices[d];
        return offset + linear * element_bytes + (record ? indices[0] * record_bytes : 0);
    }
};

// One access, from its arguments to PnetCDF.
class Access {
public:
    Access(const Operation& operation, int ncid, int varid) : operation_(operation), ncid_(ncid), varid_(varid) {}

    // What all nodes can see: throws base::Error, equally on all unless the arguments differ.
    void prepare(xmp_array_t ap, const xmp_range_t* rp, const MPI_Offset* fstart, const MPI_Offset* fstride) {
        const Variable variable(ncid_, varid_);
        name_ = variable.name;
        array_ = &execution::array_of(static_cast<const void*>(ap));
        if (!array_->allocated()) throw CodedError(NC_EINVAL, "array '" + array_->name + "' is not allocated");
        element_ = mpi_type(array_->type);
        if (element_ == MPI_DATATYPE_NULL || (operation_.type != XMP_TYPE_OTHER && operation_.type != array_->type))
            throw CodedError(NC_EBADTYPE,
                             "array '" + array_->name + "' has another element type than the function" +
                                 std::string(element_ == MPI_DATATYPE_NULL ? ", one that netCDF does not know" : ""));
        plan_ = make_plan(*array_, rp, static_cast<int>(variable.extents.size()), fstart, fstride);
        check_edges(variable);
        if (plan_.place.empty()) return;
        begin_ = variable.byte_of(plan_.place.start);
        end_ = variable.byte_of(plan_.place.last()) + variable.element_bytes;
    }

    bool nothing_to_do() const { return plan_.place.empty(); }

    // What one node can see only for itself.
    std::optional<Failure> check_file(Dataset& dataset) const {
        return operation_.direction == Direction::put ? dataset.reserve(begin_, end_) : dataset.reaches(end_);
    }

    int execute() {
        std::vector<Box> mine;
        if (array_->member() && (operation_.direction == Direction::get || first_replica()))
            mine = boxes(*array_, plan_, array_->nodes().coordinates);
        return plan_.form == Form::varn ? execute_many(mine) : execute_one(mine);
    }

    MPI_Offset end() const { return end_; }
    std::string subject(const Dataset& dataset) const {
        return (name_.empty() ? "" : "variable '" + name_ + "' of ") + "'" + dataset.path() + "'" +
               (array_ == nullptr ? "" : ", array '" + array_->name + "'");
    }

private:
    void check_edges(const Variable& variable) const {
        const Place& place = plan_.place;
        for (std::size_t d = 0; d < place.start.size(); ++d) {
            if (place.stride[d] < 1)
                throw CodedError(NC_ESTRIDE, "the file stride of dimension " + std::to_string(d + 1) + " is not positive");
            if (place.start[d] < 0)
                throw CodedError(NC_EINVALCOORDS, "the file position in dimension " + std::to_string(d + 1) + " is negative");
            const bool grows = variable.record && d == 0 && operation_.direction == Direction::put;
            const MPI_Offset last = place.start[d] + (place.count[d] - 1) * place.stride[d];
            if (!grows && place.count[d] > 0 && last >= variable.extents[d])
                throw CodedError(NC_EEDGE, "the section reaches index " + std::to_string(last) + " of dimension " +
                                               std::to_string(d + 1) + " of variable '" + variable.name + "', which has " +
                                               std::to_string(variable.extents[d]));
        }
    }

    bool first_replica() const {
        for (const int dimension : array_->mapping->replicated_node_dimensions())
            if (array_->nodes().coordinates[dimension] != 0) return false;
        return true;
    }

    std::byte* block() const { return static_cast<std::byte*>(array_->base); }

    // vara or vars of one box, which may be empty.
    int execute_one(std::vector<Box>& mine) {
        const std::size_t rank = plan_.place.start.size(), bytes = array_->element_bytes;
        if (mine.empty()) {
            Box none;
            none.start.assign(rank, 0);
            none.count.assign(rank, 0);
            none.stride.assign(rank, 1);
            return call_one(none, nullptr, 0, element_);
        }
        const Box& box = mine.front();
        if (contiguous(box, bytes)) return call_one(box, block() + box.offset, box.elements(), element_);
        if (ascending(box)) {
            MPI_Datatype type = memory_type(box, element_, bytes);
            const int code = call_one(box, block() + box.offset, 1, type);
            MPI_Type_free(&type);
            return code;
        }
        const std::unique_ptr<std::byte[]> packed(new std::byte[box.elements() * bytes]);
        if (operation_.direction == Direction::put) pack(box, bytes, block(), packed.get());
        const int code = call_one(box, packed.get(), box.elements(), element_);
        if (operation_.direction == Direction::get) unpack(box, bytes, packed.get(), block());
        return code;
    }

    int call_one(const Box& box, void* buffer, MPI_Offset count, MPI_Datatype type) const {
        const MPI_Offset *const start = box.start.data(), *const counts = box.count.data(), *const stride = box.stride.data();
        const bool all = operation_.collective;
        if (operation_.direction == Direction::put) {
            if (plan_.form == Form::vara)
                return (all ? ncmpi_put_vara_all : ncmpi_put_vara)(ncid_, varid_, start, counts, buffer, count, type);
            return (all ? ncmpi_put_vars_all : ncmpi_put_vars)(ncid_, varid_, start, counts, stride, buffer, count, type);
        }
        if (plan_.form == Form::vara)
            return (all ? ncmpi_get_vara_all : ncmpi_get_vara)(ncid_, varid_, start, counts, buffer, count, type);
        return (all ? ncmpi_get_vars_all : ncmpi_get_vars)(ncid_, varid_, start, counts, stride, buffer, count, type);
    }

    // varn of many boxes, whose elements stand one box after another in the buffer.
    int execute_many(std::vector<Box>& mine) {
        const std::size_t bytes = array_->element_bytes;
        std::vector<MPI_Offset*> starts, counts;
        Index total = 0;
        for (Box& box : mine) {
            starts.push_back(box.start.data());
            counts.push_back(box.count.data());
            total += box.elements();
        }
        const std::unique_ptr<std::byte[]> packed(new std::byte[total * bytes]);
        const auto each = [&](auto&& copy) {
            std::byte* place = packed.get();
            for (const Box& box : mine) {
                copy(box, place);
                place += box.elements() * bytes;
            }
        };
        const int pieces = static_cast<int>(mine.size());
        const bool all = operation_.collective;
        if (operation_.direction == Direction::put) {
            each([&](const Box& box, std::byte* place) { pack(box, bytes, block(), place); });
            return (all ? ncmpi_put_varn_all : ncmpi_put_varn)(ncid_, varid_, pieces, starts.data(), counts.data(),
                                                               packed.get(), total, element_);
        }
        const int code = (all ? ncmpi_get_varn_all : ncmpi_get_varn)(ncid_, varid_, pieces, starts.data(), counts.data(),
                                                                     packed.get(), total, element_);
        each([&](const Box& box, std::byte* place) { unpack(box, bytes, place, block()); });
        return code;
    }

    const Operation& operation_;
    int ncid_, varid_;
    std::string name_;
    const execution::Array* array_ = nullptr;
    MPI_Datatype element_ = MPI_DATATYPE_NULL;
    Plan plan_;
    MPI_Offset begin_ = 0, end_ = 0;
};

}  // namespace

int access(const Operation& operation, int ncid, int varid, xmp_array_t ap, const xmp_range_t* rp, const MPI_Offset* fstart,
           const MPI_Offset* fstride) noexcept {
    const CollectiveCall noted(operation.function, operation.collective);
    Dataset* const dataset = Dataset::find(ncid);
    if (dataset == nullptr) {
        xmpio::report(operation.function, {NC_EBADID, ncmpi_strerror(NC_EBADID)}, false);
        return NC_EBADID;
    }
    const auto agreed = [&](const std::optional<Failure>& mine) {
        return operation.collective ? xmpio::agree(dataset->communicator(), mine) : mine;
    };
    int rank = 0;
    MPI_Comm_rank(dataset->communicator(), &rank);
    Access one(operation, ncid, varid);
    std::optional<Failure> failure;
    try {
        one.prepare(ap, rp, fstart, fstride);
        if (!one.nothing_to_do()) failure = one.check_file(*dataset);
    } catch (const CodedError& error) {
        failure = Failure{error.code, error.what()};
    } catch (const base::Error& error) {
        failure = Failure{NC_EINVAL, error.what() + (error.advice().empty() ? std::string() : "; " + error.advice())};
    } catch (const std::exception& error) {
        failure = Failure{NC_EINVAL, error.what()};
    }
    // Nobody enters PnetCDF's collective call unless all do.
    if (!(failure = agreed(failure)) && !one.nothing_to_do()) {
        try {
            const int code = one.execute();
            if (code != NC_NOERR) failure = Failure{code, ncmpi_strerror(code)};
        } catch (const std::exception& error) {
            failure = Failure{NC_ENOMEM, error.what()};
        }
        failure = agreed(failure);
        if (!failure && operation.direction == Direction::put) dataset->written(one.end());
    }
    if (!failure) return NC_NOERR;
    failure->text = one.subject(*dataset) + ": " + failure->text;
    xmpio::report(operation.function, *failure, operation.collective ? rank == 0 : true);
    return failure->code;
}

}  // namespace kumihimo::xmpnc
