#include "runtime/xmpio/collective.hpp"

#include "base/error.hpp"
#include "runtime/xmpio/exchange.hpp"
#include "runtime/xmpio/view.hpp"

namespace kumihimo::xmpio {

namespace {

// What a call is about once its arguments have been looked at.
struct Request {
    const execution::Array* array = nullptr;
    Section section;
    Index bytes = 0;  // of the whole section
};

void mix(std::uint64_t& hash, Index value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
}

std::uint64_t fingerprint(const Request& request) {
    std::uint64_t hash = 0;
    mix(hash, request.array->element_bytes);
    mix(hash, static_cast<Index>(request.array->mapping->order()));
    for (int d = 0; d < request.array->mapping->rank(); ++d) {
        mix(hash, request.array->mapping->lower(d));
        mix(hash, request.array->mapping->extent(d));
        mix(hash, request.section[d].first);
        mix(hash, request.section[d].count);
        mix(hash, request.section[d].step);
    }
    return hash;
}

// Whether this node could copy from and to every other owner's memory.
bool all_mapped(const execution::Array& array) {
    const sets::ArrayMapping& mapping = *array.mapping;
    for (int number = 0; number < array.set->size(); ++number) {
        if (array.peer_base(number) != nullptr) continue;
        const std::vector<Index> coordinates = mapping.target().grid().coordinates(number);
        Index stored = 1;
        for (int d = 0; d < mapping.rank(); ++d)
            stored *= mapping.owned_size(d, mapping.node_dimension(d) < 0 ? 0 : coordinates[mapping.node_dimension(d)]);
        if (stored > 0) return false;
    }
    return true;
}

std::optional<Failure> examine(const File& file, bool permitted, const char* needed, xmp_desc_t descriptor,
                               const xmp_range_t* rp, Request& request) {
    try {
        if (!permitted) throw base::Error(std::string("'") + file.name() + "' was not opened for " + needed);
        const execution::Array& array = execution::array_of(static_cast<const void*>(descriptor));
        if (!array.allocated()) throw base::Error("array '" + array.name + "' is not allocated");
        if (!array.set->subset_of(file.set()))
            throw base::Error("array '" + array.name + "' lies on nodes that did not open '" + file.name() + "'",
                              "open the file on a node set that contains the array's");
        request.array = &array;
        request.section = section_of(array, rp);
        request.bytes = elements(request.section) * static_cast<Index>(array.element_bytes);
        return std::nullopt;
    } catch (const base::Error& error) {
        return Failure{-1, error.what() + (error.advice().empty() ? std::string() : "; " + error.advice())};
    } catch (const std::exception& error) {
        return Failure{-1, error.what()};
    }
}

// The terms of the call, agreed by all nodes of the file.
std::optional<Failure> negotiate(const File& file, const std::optional<Failure>& mine, const Request& request, Terms& terms) {
    if (!mine) {
        terms.position = file.position;
        terms.fingerprint = fingerprint(request);
        terms.direct = !request.array->member() || all_mapped(*request.array);
    }
    if (file.first_node()) terms.file_bytes = file.bytes();
    return agree(file.communicator(), mine, terms);
}

// Through a view that the user has set: each node's part at its own place in its own view.
std::optional<Failure> through_view(const File& file, const Request& request, bool writing, Index& moved) {
    const execution::Array& array = *request.array;
    if (!array.member()) return std::nullopt;
    const Part part(*array.mapping, array.element_bytes, request.section, array.nodes().coordinates);
    const Index total = elements(request.section), bytes = part.elements() * static_cast<Index>(array.element_bytes);
    if (bytes == 0) return std::nullopt;
    if (file.view == File::View::empty)
        return Failure{-1, "this node owns elements of the section but nothing of the file's view"};
    std::vector<std::byte> packed(bytes);
    auto* const block = static_cast<std::byte*>(array.base);
    moved = bytes;
    if (writing) {
        pack(part, 0, total, block, packed.data());
        return file.write(file.position, packed.data(), bytes);
    }
    Index arrived = 0;
    if (auto failure = file.read(file.position, packed.data(), bytes, arrived)) return failure;
    if (arrived < bytes) return Failure{-1, "'" + file.name() + "' ends inside this node's part of the section"};
    unpack(part, 0, total, packed.data(), block);
    return std::nullopt;
}

std::string short_file(const File& file, const Request& request, Index position, Index available) {
    return "'" + file.name() + "' is too short: " + std::to_string(request.bytes) + " bytes of array '" + request.array->name +
           "' were asked for at byte " + std::to_string(position) + ", the file has " + std::to_string(available) + " left";
}

}  // namespace

std::optional<Failure> read_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved) {
    Request request;
    Terms terms;
    moved = 0;
    std::optional<Failure> failure = examine(file, file.mode().read, "reading", descriptor, rp, request);
    const bool viewed = file.view != File::View::bytes;
    if ((failure = negotiate(file, failure, request, terms))) return failure;
    if (viewed) {
        failure = agree(file.communicator(), through_view(file, request, false, moved));
        if (!failure) file.position += moved;
        return failure;
    }
    const Index available = std::max<Index>(0, terms.file_bytes - terms.position);
    if (request.bytes == 0 || available == 0) return std::nullopt;  // nothing to do, or at end of file
    if (available < request.bytes) return Failure{too_short, short_file(file, request, terms.position, available)};
    if (request.array->member()) {
        Exchange exchange(file, *request.array, request.section, terms.position, terms.direct);
        moved = exchange.own_bytes();
        failure = exchange.read();
    }
    if (!(failure = agree(file.communicator(), failure))) file.position += request.bytes;
    return failure;
}

std::optional<Failure> write_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved) {
    Request request;
    Terms terms;
    moved = 0;
    std::optional<Failure> failure = examine(file, file.mode().write, "writing", descriptor, rp, request);
    if ((failure = negotiate(file, failure, request, terms))) return failure;
    if (file.view != File::View::bytes) {
        failure = agree(file.communicator(), through_view(file, request, true, moved));
        if (!failure) file.position += moved;
        return failure;
    }
    const Index position = file.append_pending ? terms.file_bytes : terms.position;
    if (request.bytes > 0 && request.array->member()) {
        Exchange exchange(file, *request.array, request.section, position, terms.direct);
        moved = exchange.own_bytes();
        failure = exchange.write();
    }
    if ((failure = agree(file.communicator(), failure))) return failure;
    file.position = position + request.bytes;
    file.append_pending = false;
    if (file.sidecar) file.sidecar->holds(*request.array, request.section, position);
    return std::nullopt;
}

std::optional<Failure> read_same(File& file, void* buffer, Index bytes, Index& moved) {
    const MPI_Comm comm = file.communicator();
    Terms terms{file.position, static_cast<std::uint64_t>(bytes) << 1, -1, true};
    std::optional<Failure> failure;
    if ((failure = agree(comm, std::nullopt, terms))) return failure;
    if (file.first_node()) failure = file.read_here(buffer, bytes, moved);
    if ((failure = agree(comm, failure))) return failure;
    constexpr Index largest_message = Index{1} << 30;
    MPI_Bcast(&moved, 1, MPI_INT64_T, 0, comm);
    for (Index sent = 0; sent < moved; sent += largest_message)
        MPI_Bcast(static_cast<char*>(buffer) + sent, static_cast<int>(std::min(moved - sent, largest_message)), MPI_BYTE, 0,
                  comm);
    file.position += moved;
    return std::nullopt;
}

std::optional<Failure> write_same(File& file, const void* buffer, Index bytes) {
    const MPI_Comm comm = file.communicator();
    Terms terms{file.position, static_cast<std::uint64_t>(bytes) << 1, -1, true};
    std::optional<Failure> failure;
    if ((failure = agree(comm, std::nullopt, terms))) return failure;
    Index moved = 0;
    if (file.first_node()) failure = file.write_here(buffer, bytes, moved);
    if (!(failure = agree(comm, failure))) file.position += bytes;
    return failure;
}

std::optional<Failure> set_view(File& file, Index displacement, xmp_desc_t descriptor, const xmp_range_t* rp) {
    Request request;
    std::optional<Failure> failure = examine(file, true, "", descriptor, rp, request);
    if (!failure && displacement < 0) failure = Failure{-1, "displacement " + std::to_string(displacement) + " is negative"};
    if ((failure = agree(file.communicator(), failure))) return failure;
    const execution::Array& array = *request.array;
    MPI_Datatype type = MPI_BYTE;
    file.view = File::View::empty;
    if (array.member()) {
        const Part part(*array.mapping, array.element_bytes, request.section, array.nodes().coordinates);
        if (part.elements() > 0) {
            type = file_type(part, elements(request.section));
            file.view = File::View::section;
        }
    }
    const int code = MPI_File_set_view(file.handle(), displacement, MPI_BYTE, type, "native", MPI_INFO_NULL);
    if (type != MPI_BYTE) MPI_Type_free(&type);
    file.position = 0;
    if (code != MPI_SUCCESS) failure = Failure{-1, "cannot set the view of '" + file.name() + "': " + mpi_error_text(code, 0)};
    return agree(file.communicator(), failure);
}

}  // namespace kumihimo::xmpio
