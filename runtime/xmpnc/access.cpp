#include "runtime/xmpnc/access.hpp"

#include <bit>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "base/agreement.hpp"
#include "base/datatype.hpp"
#include "base/error.hpp"
#include "copying/execute.hpp"
#include "runtime/xmpnc/boxes.hpp"
#include "runtime/xmpnc/calls.hpp"
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

    // Of an element, by `index` of each dimension of a placement.
    template <typename IndexOf>
    MPI_Offset byte_of(const Placement& placement, IndexOf&& index) const {
        MPI_Offset linear = 0;
        for (std::size_t d = record ? 1 : 0; d < extents.size(); ++d) linear = linear * extents[d] + index(placement[d]);
        return offset + linear * element_bytes + (record ? index(placement[0]) * record_bytes : 0);
    }
    MPI_Offset begin_of(const Placement& placement) const {
        return byte_of(placement, [](const Along& along) { return along.start; });
    }
    MPI_Offset end_of(const Placement& placement) const {
        return byte_of(placement, [](const Along& along) { return along.last(); }) + element_bytes;
    }
};

// What one node hands to PnetCDF: elements in the order of its boxes.
struct Memory {
    std::byte* address = nullptr;
    MPI_Offset count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::unique_ptr<std::byte[]> packed;
    std::optional<base::Datatype> made;
};

base::Datatype datatype_of(const std::vector<Boxes>& mine, MPI_Datatype element, Index element_bytes) {
    std::vector<base::Datatype> parts;
    std::vector<MPI_Aint> places;
    for (const auto& [start, count, stride, loops, memory] : mine) {
        base::Datatype type = base::Datatype::row(element, memory.run() / element_bytes);
        const auto levels = memory.levels();
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) type = type.repeated(level->count, level->from);
        parts.push_back(std::move(type));
        places.push_back(memory.from());
    }
    return base::Datatype::sequence(parts, places).committed();
}

// One access, from its arguments to PnetCDF.
class Access {
public:
    Access(const Operation& operation, int ncid) : operation_(operation), ncid_(ncid) {}

    // What all nodes can see: throws base::Error, equally on all unless the arguments differ.
    void prepare(const Target& target) {
        const Variable variable = plan(target);
        for (const Placement& placement : plan_.sections) check_edges(variable, placement);
        if (target.entire) check_shape(variable);
        if (nothing_to_do()) return;
        begin_ = end_ = variable.begin_of(plan_.sections.front());
        for (const Placement& placement : plan_.sections) {
            begin_ = std::min(begin_, variable.begin_of(placement));
            end_ = std::max(end_, variable.end_of(placement));
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
        records_ = variable.record;
        plan_ = make_plan(*array_, target, static_cast<int>(variable.extents.size()));
        return variable;
    }

    bool nothing_to_do() const { return plan_.sections.empty(); }

    // What all nodes of a collective operation have to say alike.
    void mix_into(std::uint64_t& hash) const {
        const auto mix = [&hash](MPI_Offset value) { hash = std::rotl(hash ^ static_cast<std::uint64_t>(value), 23) * prime; };
        mix(varid_);
        mix(array_ == nullptr ? 0 : array_->type);
        mix(static_cast<MPI_Offset>(plan_.form));
        for (const Placement& placement : plan_.sections)
            for (const auto& [dimension, range, start, stride] : placement)
                for (const MPI_Offset value :
                     std::initializer_list<MPI_Offset>{dimension, range.first, range.count, range.step, start, stride})
                    mix(value);
    }

    // What one node can see only for itself.
    std::optional<Failure> check_file(Dataset& dataset) const {
        if (nothing_to_do()) return std::nullopt;
        return writes(operation_.kind) ? dataset.reserve(begin_, end_) : dataset.reaches(end_);
    }

    // PnetCDF's code. A kind with a request posts one and leaves.
    int execute(Kind kind, MPI_Comm comm, int* request) {
        const std::vector<Boxes> mine = own_boxes(writes(kind));
        const Calls calls = calls_for(mine);
        const std::size_t rounds = rounds_of(kind, comm, calls.list.size());
        Memory memory;
        describe(mine, kind, memory);
        int code = NC_NOERR;
        const Calls::One nothing;
        for (std::size_t round = 0; round < rounds; ++round) {
            const int one = call(kind, round < calls.list.size() ? calls.list[round] : nothing, memory, request);
            if (code == NC_NOERR) code = one;
        }
        if (memory.packed && kind == Kind::get)
            each_packed(mine, memory, [&](const sets::Correspondence& boxes, std::byte* place) {
                copying::execute(boxes.turned(), block(), place);
            });
        return code;
    }

    MPI_Offset local_bytes_in_file() const { return elements(own_boxes(true)) * element_bytes_in_file_; }

    MPI_Offset begin() const { return begin_; }
    MPI_Offset end() const { return end_; }
    std::string subject(const Dataset& dataset) const {
        return (name_.empty() ? "" : "variable '" + name_ + "' of ") + "'" + dataset.path() + "'" +
               (array_ == nullptr ? "" : ", array '" + array_->name + "'");
    }

private:
    static constexpr std::uint64_t prime = 0x9E3779B97F4A7C15u;

    void check_edges(const Variable& variable, const Placement& placement) const {
        for (std::size_t d = 0; d < placement.size(); ++d) {
            const Along& along = placement[d];
            if (along.stride < 1)
                throw CodedError(NC_ESTRIDE, "the file stride of dimension " + std::to_string(d + 1) + " is not positive");
            if (along.start < 0)
                throw CodedError(NC_EINVALCOORDS, "the file position in dimension " + std::to_string(d + 1) + " is negative");
            const bool grows = variable.record && d == 0 && writes(operation_.kind);
            if (!grows && along.last() >= variable.extents[d])
                throw CodedError(NC_EEDGE, "the section reaches index " + std::to_string(along.last()) + " of dimension " +
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

    std::vector<Boxes> own_boxes(bool writing) const {
        if (nothing_to_do() || !array_->member() || (writing && !array_->mapping->first_replica(array_->nodes().coordinates)))
            return {};
        return boxes_of(*array_, plan_, records_);
    }

    Index element_bytes() const { return static_cast<Index>(array_->element_bytes); }
    MPI_Offset elements(const std::vector<Boxes>& mine) const {
        MPI_Offset bytes = 0;
        for (const Boxes& boxes : mine) bytes += boxes.memory.bytes();
        return bytes / element_bytes();
    }

    // The block itself where the elements stand in it without gaps, else a copy. That has no place to live until a request is
    // complete, which gets a type that describes them.
    void describe(const std::vector<Boxes>& mine, Kind kind, Memory& memory) const {
        memory.type = element_;
        memory.count = elements(mine);
        if (memory.count == 0) return;
        if (mine.size() == 1 && mine[0].memory.contiguous()) {
            memory.address = block() + mine[0].memory.from();
        } else if (kind == Kind::iput || kind == Kind::iget) {
            memory.made.emplace(datatype_of(mine, element_, element_bytes()));
            memory.type = *memory.made;
            memory.address = block();
            memory.count = 1;
        } else {
            memory.packed.reset(new std::byte[static_cast<std::size_t>(memory.count * element_bytes())]);
            memory.address = memory.packed.get();
            if (writes(kind))
                each_packed(mine, memory, [&](const sets::Correspondence& boxes, std::byte* place) {
                    copying::execute(boxes, place, block());
                });
        }
    }

    template <typename Copy>
    void each_packed(const std::vector<Boxes>& mine, const Memory& memory, Copy&& copy) const {
        std::byte* place = memory.packed.get();
        for (const Boxes& boxes : mine) {
            copy(boxes.memory, place);
            place += boxes.memory.bytes();
        }
    }

    // PnetCDF takes what has so many bytes in memory and in the file.
    MPI_Offset most_elements() const {
        return std::numeric_limits<int>::max() / std::max<MPI_Offset>({1, element_bytes(), element_bytes_in_file_});
    }

    Calls calls_for(const std::vector<Boxes>& mine) const {
        Calls calls(most_elements(), plan_.form == Form::varn);
        for (const Boxes& boxes : mine)
            boxes.for_each_start([&](const std::vector<MPI_Offset>& start) { calls.add(start, boxes.count, boxes.stride); });
        return calls;
    }

    // Collective calls are as many on all nodes; they ask each other only where some node may need several.
    std::size_t rounds_of(Kind kind, MPI_Comm comm, std::size_t mine) const {
        const bool waits = kind == Kind::put || kind == Kind::get;
        if (!waits && mine > 1)
            throw CodedError(NC_EINTOVERFLOW, "this node has more of the sections than PnetCDF takes in one request");
        MPI_Offset all = 0;
        for (const Placement& placement : plan_.sections) {
            MPI_Offset elements = 1;
            for (const Along& along : placement) elements *= along.range.count;
            all += elements;
        }
        if (!waits || !operation_.collective || all <= most_elements()) return std::max<std::size_t>(1, mine);
        const auto negative = -static_cast<std::int64_t>(std::max<std::size_t>(1, mine));
        std::int64_t least = 0;
        base::lowest(comm, &negative, &least, 1, MPI_INT64_T);
        return static_cast<std::size_t>(-least);
    }

    int call(Kind kind, const Calls::One& part, const Memory& memory, int* request) const {
        const bool whole = memory.made.has_value();
        std::byte* const address =
            memory.address == nullptr || whole ? memory.address : memory.address + part.first * element_bytes();
        const MPI_Offset count = whole ? memory.count : part.elements;
        return plan_.form == Form::varn ? call_many(kind, part, address, count, memory.type, request)
                                        : call_one(kind, part, address, count, memory.type, request);
    }

    // One box, which may be empty.
    int call_one(Kind kind, const Calls::One& part, std::byte* address, MPI_Offset elements, MPI_Datatype type,
                 int* request) const {
        const std::size_t rank = plan_.sections.front().size();
        const std::vector<MPI_Offset> zeros(rank, 0), ones(rank, 1);
        const bool empty = part.counts.empty();
        const MPI_Offset* const start = empty ? zeros.data() : part.starts.data();
        const MPI_Offset* const count = empty ? zeros.data() : part.counts.front();
        const MPI_Offset* const stride = plan_.form == Form::vara ? nullptr : empty ? ones.data() : part.stride;
        const bool all = operation_.collective;
        const auto call = [&](auto function, auto... last) {
            return function(ncid_, varid_, start, count, stride, address, elements, type, last...);
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

    int call_many(Kind kind, const Calls::One& part, std::byte* address, MPI_Offset elements, MPI_Datatype type,
                  int* request) const {
        const std::size_t rank = plan_.sections.front().size();
        std::vector<MPI_Offset*> starts, counts;  // PnetCDF only reads what they point to
        for (std::size_t i = 0; i < part.counts.size(); ++i) {
            starts.push_back(const_cast<MPI_Offset*>(part.starts.data() + i * rank));
            counts.push_back(const_cast<MPI_Offset*>(part.counts[i]));
        }
        const bool all = operation_.collective;
        const auto call = [&](auto function, auto... last) {
            return function(ncid_, varid_, static_cast<int>(counts.size()), starts.data(), counts.data(), address, elements,
                            type, last...);
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
    bool records_ = false;  // along the variable's first dimension
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

    int alone(int* request) {
        return all_[0].nothing_to_do() ? NC_NOERR : all_[0].execute(operation_.kind, dataset_.communicator(), request);
    }

    // As PnetCDF does it: requests, completed by one call, which everybody makes.
    int together() {
        std::vector<int> requests, statuses;
        int code = NC_NOERR;
        for (Access& access : all_) {
            if (access.nothing_to_do()) continue;
            current_ = &access;
            code = access.execute(operation_.kind == Kind::put ? Kind::iput : Kind::iget, dataset_.communicator(),
                                  &requests.emplace_back(NC_REQ_NULL));
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
