#include "runtime/xmpnc/access.hpp"

#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "runtime/xmpnc/dataset.hpp"
#include "runtime/xmpnc/types.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::xmpnc {

namespace {

bool writes(Kind kind) {
    return kind == Kind::put || kind == Kind::iput || kind == Kind::bput;
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
        element_bytes = bytes_of(type);
    }

    MPI_Offset byte_of(const std::vector<MPI_Offset>& indices) const {
        MPI_Offset linear = 0;
        for (std::size_t d = record ? 1 : 0; d < indices.size(); ++d) linear = linear * extents[d] + indices[d];
        return offset + linear * element_bytes + (record ? indices[0] * record_bytes : 0);
    }
};

// What one node hands to PnetCDF: elements in the order of its boxes.
struct Memory {
    std::byte* address = nullptr;
    MPI_Offset count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::unique_ptr<std::byte[]> packed;
    bool made = false;  // the type

    Memory() = default;
    Memory(Memory&&) = delete;
    ~Memory() {
        if (made) MPI_Type_free(&type);
    }
};

// One access, from its arguments to PnetCDF.
class Access {
public:
    Access(const Operation& operation, int ncid) : operation_(operation), ncid_(ncid) {}

    // What all nodes can see: throws base::Error, equally on all unless the arguments differ.
    void prepare(const Target& target) {
        const Variable variable = plan(target);
        for (const Piece& piece : plan_.pieces) check_edges(variable, piece.place);
        if (target.entire) check_shape(variable);
        if (nothing_to_do()) return;
        begin_ = end_ = variable.byte_of(plan_.pieces.front().place.start);
        for (const Piece& piece : plan_.pieces) {
            begin_ = std::min(begin_, variable.byte_of(piece.place.start));
            end_ = std::max(end_, variable.byte_of(piece.place.last()) + variable.element_bytes);
        }
    }

    // The same without a look at where the sections end in the file.
    Variable plan(const Target& target) {
        if (target.sections < 0) throw CodedError(NC_EINVAL, "a negative number of sections or variables");
        varid_ = target.varid;
        const Variable variable(ncid_, varid_);
        name_ = variable.name;
        array_ = &execution::array_of(target.array);
        if (!array_->allocated()) throw CodedError(NC_EINVAL, "array '" + array_->name + "' is not allocated");
        const ElementType* const type = element_type(array_->type);
        if (type == nullptr || (operation_.type != XMP_TYPE_OTHER && operation_.type != array_->type))
            throw CodedError(NC_EBADTYPE, "array '" + array_->name + "' has another element type than the function" +
                                              std::string(type == nullptr ? ", one that netCDF does not know" : ""));
        element_ = type->mpi;
        element_bytes_in_file_ = variable.element_bytes;
        plan_ = make_plan(*array_, target, static_cast<int>(variable.extents.size()), variable.record);
        return variable;
    }

    bool nothing_to_do() const { return plan_.pieces.empty(); }

    // What all nodes of a collective operation have to say alike.
    void mix_into(std::uint64_t& hash) const {
        const auto mix = [&hash](MPI_Offset value) { hash = std::rotl(hash ^ static_cast<std::uint64_t>(value), 23) * prime; };
        mix(varid_);
        mix(array_ == nullptr ? 0 : array_->type);
        mix(static_cast<MPI_Offset>(plan_.form));
        for (const int axis : plan_.axes) mix(axis);
        for (const Piece& piece : plan_.pieces) {
            for (const sets::Range& range : piece.section) mix(range.first), mix(range.count), mix(range.step);
            for (const MPI_Offset start : piece.place.start) mix(start);
            for (const MPI_Offset stride : piece.place.stride) mix(stride);
        }
    }

    // What one node can see only for itself.
    std::optional<Failure> check_file(Dataset& dataset) const {
        if (nothing_to_do()) return std::nullopt;
        return writes(operation_.kind) ? dataset.reserve(begin_, end_) : dataset.reaches(end_);
    }

    // PnetCDF's code. A kind with a request posts one and leaves.
    int execute(Kind kind, int* request) {
        std::vector<Box> mine = own_boxes(writes(kind));
        Memory memory;
        describe(mine, kind, memory);
        const int code =
            plan_.form == Form::varn ? call_many(kind, mine, memory, request) : call_one(kind, mine, memory, request);
        if (memory.packed && kind == Kind::get)
            each_packed(mine, memory,
                        [&](const Box& box, std::byte* place) { unpack(box, array_->element_bytes, place, block()); });
        return code;
    }

    MPI_Offset local_bytes_in_file() const {
        MPI_Offset sum = 0;
        for (const Box& box : own_boxes(true)) sum += box.elements();
        return sum * element_bytes_in_file_;
    }

    MPI_Offset begin() const { return begin_; }
    MPI_Offset end() const { return end_; }
    std::string subject(const Dataset& dataset) const {
        return (name_.empty() ? "" : "variable '" + name_ + "' of ") + "'" + dataset.path() + "'" +
               (array_ == nullptr ? "" : ", array '" + array_->name + "'");
    }

private:
    static constexpr std::uint64_t prime = 0x9E3779B97F4A7C15u;

    void check_edges(const Variable& variable, const Place& place) const {
        for (std::size_t d = 0; d < place.start.size(); ++d) {
            if (place.stride[d] < 1)
                throw CodedError(NC_ESTRIDE, "the file stride of dimension " + std::to_string(d + 1) + " is not positive");
            if (place.start[d] < 0)
                throw CodedError(NC_EINVALCOORDS, "the file position in dimension " + std::to_string(d + 1) + " is negative");
            const bool grows = variable.record && d == 0 && writes(operation_.kind);
            const MPI_Offset last = place.start[d] + (place.count[d] - 1) * place.stride[d];
            if (!grows && last >= variable.extents[d])
                throw CodedError(NC_EEDGE, "the section reaches index " + std::to_string(last) + " of dimension " +
                                               std::to_string(d + 1) + " of variable '" + variable.name + "', which has " +
                                               std::to_string(variable.extents[d]));
        }
    }

    // The whole array is the whole variable; only what is written may bring more records.
    void check_shape(const Variable& variable) const {
        const std::vector<int> order = sets::slowest_first(*array_->mapping);
        for (std::size_t d = 0; d < order.size(); ++d) {
            const MPI_Offset extent = array_->mapping->extent(order[d]);
            if (extent != variable.extents[d] && !(variable.record && d == 0 && writes(operation_.kind)))
                throw CodedError(NC_EEDGE, "the array has " + std::to_string(extent) + " elements in dimension " +
                                               std::to_string(d + 1) + ", variable '" + variable.name + "' has " +
                                               std::to_string(variable.extents[d]));
        }
    }

    std::byte* block() const { return static_cast<std::byte*>(array_->base); }

    std::vector<Box> own_boxes(bool writing) const {
        if (nothing_to_do() || !array_->member() || (writing && !array_->mapping->first_replica(array_->nodes().coordinates)))
            return {};
        return boxes(*array_, plan_, array_->nodes().coordinates);
    }

    // The block itself where one box stands in it without gaps, else a type that describes it, or a copy: our own is faster
    // than MPI's for many boxes, but has no place to live until a request is complete.
    void describe(const std::vector<Box>& mine, Kind kind, Memory& memory) const {
        const std::size_t bytes = array_->element_bytes;
        const bool completes = kind == Kind::put || kind == Kind::get || kind == Kind::bput;
        memory.type = element_;
        for (const Box& box : mine) memory.count += box.elements();
        if (memory.count == 0) return;
        if (mine.size() == 1 && contiguous(mine[0], bytes)) {
            memory.address = block() + mine[0].offset;
        } else if (!completes || (mine.size() == 1 && ascending(mine[0]))) {
            memory.type = memory_type(mine, element_, bytes);
            memory.made = true;
            memory.address = block();
            memory.count = 1;
        } else {
            memory.packed.reset(new std::byte[memory.count * bytes]);
            memory.address = memory.packed.get();
            if (writes(kind))
                each_packed(mine, memory, [&](const Box& box, std::byte* place) { pack(box, bytes, block(), place); });
        }
    }

    template <typename Copy>
    void each_packed(const std::vector<Box>& mine, const Memory& memory, Copy&& copy) const {
        std::byte* place = memory.packed.get();
        for (const Box& box : mine) {
            copy(box, place);
            place += box.elements() * array_->element_bytes;
        }
    }

    // One box, which may be empty.
    int call_one(Kind kind, std::vector<Box>& mine, const Memory& memory, int* request) const {
        const std::size_t rank = plan_.axes.size();
        std::vector<MPI_Offset> zeros(rank, 0), ones(rank, 1);
        const MPI_Offset* const start = mine.empty() ? zeros.data() : mine[0].start.data();
        const MPI_Offset* const count = mine.empty() ? zeros.data() : mine[0].count.data();
        const MPI_Offset* stride = mine.empty() ? ones.data() : mine[0].stride.data();
        if (plan_.form == Form::vara) stride = nullptr;
        const bool all = operation_.collective;
        const auto call = [&](auto function, auto... last) {
            return function(ncid_, varid_, start, count, stride, memory.address, memory.count, memory.type, last...);
        };
        switch (kind) {
            case Kind::put:
                return call(all ? ncmpi_put_vars_all : ncmpi_put_vars);
            case Kind::get:
                return call(all ? ncmpi_get_vars_all : ncmpi_get_vars);
            case Kind::iput:
                return call(ncmpi_iput_vars, request);
            case Kind::iget:
                return call(ncmpi_iget_vars, request);
            default:
                return call(ncmpi_bput_vars, request);
        }
    }

    int call_many(Kind kind, std::vector<Box>& mine, const Memory& memory, int* request) const {
        std::vector<MPI_Offset*> starts, counts;
        for (Box& box : mine) {
            starts.push_back(box.start.data());
            counts.push_back(box.count.data());
        }
        const bool all = operation_.collective;
        const auto call = [&](auto function, auto... last) {
            return function(ncid_, varid_, static_cast<int>(mine.size()), starts.data(), counts.data(), memory.address,
                            memory.count, memory.type, last...);
        };
        switch (kind) {
            case Kind::put:
                return call(all ? ncmpi_put_varn_all : ncmpi_put_varn);
            case Kind::get:
                return call(all ? ncmpi_get_varn_all : ncmpi_get_varn);
            case Kind::iput:
                return call(ncmpi_iput_varn, request);
            case Kind::iget:
                return call(ncmpi_iget_varn, request);
            default:
                return call(ncmpi_bput_varn, request);
        }
    }

    const Operation& operation_;
    int ncid_, varid_ = -1;
    std::string name_;
    const execution::Array* array_ = nullptr;
    MPI_Datatype element_ = MPI_DATATYPE_NULL;
    Plan plan_;
    MPI_Offset begin_ = 0, end_ = 0, element_bytes_in_file_ = 0;
};

// All accesses of one call of the user.
class Accesses {
public:
    Accesses(const Operation& operation, int ncid, Dataset& dataset) : operation_(operation), ncid_(ncid), dataset_(dataset) {}

    // Up to where nothing has been moved yet.
    std::optional<Failure> prepare(std::span<const Target> targets) {
        std::optional<Failure> failure = failure_of([&] {
            for (const Target& target : targets) {
                current_ = &all_.emplace_back(operation_, ncid_);
                current_->prepare(target);
            }
        });
        for (const Access& access : all_)
            if (!failure && !has_request()) failure = access.check_file(dataset_);
        return failure;
    }

    std::uint64_t fingerprint() const {
        std::uint64_t hash = std::hash<std::string_view>()(operation_.function) + all_.size();
        for (const Access& access : all_) access.mix_into(hash);
        return hash;
    }

    std::optional<Failure> execute(int* request) {
        int code = NC_NOERR;
        std::optional<Failure> failure = failure_of([&] { code = all_.size() == 1 ? alone(request) : together(); }, NC_ENOMEM);
        if (!failure && code != NC_NOERR) failure = Failure{code, ncmpi_strerror(code)};
        return failure;
    }

    void note_end() {
        for (const Access& access : all_) {
            if (access.nothing_to_do()) continue;
            if (has_request())
                dataset_.request_posted(writes(operation_.kind), access.begin(), access.end());
            else if (writes(operation_.kind))
                dataset_.written(access.end());
        }
    }

    std::string subject() const { return current_ == nullptr ? "'" + dataset_.path() + "'" : current_->subject(dataset_); }

private:
    bool has_request() const { return operation_.kind != Kind::put && operation_.kind != Kind::get; }

    int alone(int* request) { return all_[0].nothing_to_do() ? NC_NOERR : all_[0].execute(operation_.kind, request); }

    // As PnetCDF does it: requests, completed by one call, which everybody makes.
    int together() {
        std::vector<int> requests, statuses;
        int code = NC_NOERR;
        for (Access& access : all_) {
            if (access.nothing_to_do()) continue;
            current_ = &access;
            code = access.execute(operation_.kind == Kind::put ? Kind::iput : Kind::iget, &requests.emplace_back(NC_REQ_NULL));
            if (code != NC_NOERR) break;
        }
        statuses.assign(requests.size(), NC_NOERR);
        const int count = static_cast<int>(requests.size());
        const int waited =
            (operation_.collective ? ncmpi_wait_all : ncmpi_wait)(ncid_, count, requests.data(), statuses.data());
        for (const int status : statuses)
            if (code == NC_NOERR) code = status;
        return code == NC_NOERR ? waited : code;
    }

    const Operation& operation_;
    int ncid_;
    Dataset& dataset_;
    std::deque<Access> all_;
    Access* current_ = nullptr;  // which a message is about
};

}  // namespace

int access(const Operation& operation, int ncid, std::span<const Target> targets, int* request) noexcept {
    const CollectiveCall noted(operation.function, operation.collective);
    if (request != nullptr) *request = NC_REQ_NULL;
    Dataset* const dataset = Dataset::find(ncid);
    if (dataset == nullptr) return told(operation.function, Failure{NC_EBADID, ncmpi_strerror(NC_EBADID)}, false);
    const MPI_Comm comm = dataset->communicator();
    Accesses all(operation, ncid, *dataset);
    std::optional<Failure> failure = all.prepare(targets);
    if (operation.collective) {
        // Nobody enters PnetCDF's collective call unless all do, and with the same arguments.
        xmpio::Terms terms;
        terms.fingerprint = failure ? 0 : all.fingerprint();
        failure = xmpio::agree(comm, failure, terms);
        if (failure && failure->code == -1) failure->code = NC_EMULTIDEFINE_FNC_ARGS;
    }
    if (!failure) {
        failure = all.execute(request);
        if (operation.collective) failure = xmpio::agree(comm, failure);
        if (!failure) all.note_end();
    }
    if (!failure) return NC_NOERR;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    failure->text = all.subject() + ": " + failure->text;
    return told(operation.function, failure, !operation.collective || rank == 0);
}

int access(const Operation& operation, int ncid, int num, const Lists& lists) noexcept {
    const auto nth = [](const MPI_Offset* const* list, int i) { return list == nullptr ? nullptr : list[i]; };
    std::vector<Target> targets;
    for (int i = 0; i < num; ++i)
        targets.push_back({.varid = lists.varids[i],
                           .array = lists.arrays[i],
                           .entire = lists.entire,
                           .ranges = lists.ranges == nullptr ? nullptr : lists.ranges + i,
                           .start = nth(lists.starts, i),
                           .stride = nth(lists.strides, i),
                           .map = nth(lists.maps, i)});
    if (num < 0) targets.push_back({.sections = num});
    return access(operation, ncid, targets);
}

}  // namespace kumihimo::xmpnc

using namespace kumihimo::xmpnc;

extern "C" int xmpnc_inq_bput_size(int ncid, int varid, xmp_array_t ap, xmp_range_t* rp, MPI_Offset* bytes) {
    const Operation operation{"xmpnc_inq_bput_size", Kind::bput, false, XMP_TYPE_OTHER};
    Access one(operation, ncid);
    const std::optional<Failure> failure = failure_of([&] {
        // The place in the variable has no part in it.
        int rank = 0;
        require(ncmpi_inq_varndims(ncid, varid, &rank));
        const std::vector<MPI_Offset> zeros(rank, 0);
        one.plan({.varid = varid, .array = ap, .ranges = &rp, .start = zeros.data()});
        *bytes = one.local_bytes_in_file();
    });
    return told(operation.function, failure, true);
}
