#include "runtime/xmpio/collective.hpp"

#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/xmpio/part.hpp"

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

bool stores_something(const sets::ArrayMapping& mapping, int number) {
    const std::vector<Index> coordinates = mapping.target().grid().coordinates(number);
    for (int d = 0; d < mapping.rank(); ++d) {
        const int onto = mapping.node_dimension(d);
        if (mapping.owned_size(d, onto < 0 ? 0 : coordinates[static_cast<std::size_t>(onto)]) == 0) return false;
    }
    return true;
}

// Whether this node reaches the memory of every node of the file, all of which have part of the array.
bool all_mapped(const File& file, const execution::Array& array) {
    if (array.set->size() != file.set().size()) return false;
    for (int number = 0; number < array.set->size(); ++number)
        if (array.peer_base(number) == nullptr && stores_something(*array.mapping, number)) return false;
    return true;
}

// The terms of the call, agreed by all nodes of the file.
std::optional<Failure> negotiate(const File& file, const std::optional<Failure>& mine, const Request& request, Terms& terms) {
    if (!mine) {
        terms.position = file.viewed() ? 0 : file.position;  // each node's view has its own
        terms.fingerprint = fingerprint(request);
        terms.mapped = all_mapped(file, *request.array);
    }
    std::optional<Failure> failure = mine;
    if (!failure) failure = file.bytes(terms.file_bytes);
    return agree(file.communicator(), failure, terms);
}

// What each node of the file has of a section, in memory that is mapped here. Replicas write nothing.
std::vector<mpiio::Memory> memory_of_all(const File& file, const Request& request, bool writing) {
    const execution::Array& array = *request.array;
    std::vector<mpiio::Memory> all(static_cast<std::size_t>(file.set().size()));
    for (int number = 0; number < array.set->size(); ++number) {
        const std::vector<Index> coordinates = array.mapping->target().grid().coordinates(number);
        if (writing && !array.mapping->first_replica(coordinates)) continue;
        const Part part(*array.mapping, array.element_bytes, request.section, coordinates);
        all[static_cast<std::size_t>(file.set().number_of(array.set->world_rank(number)))] =
            part.block(array.peer_base(number));
    }
    return all;
}

// Collective: the nodes' parts of a section, the file's bytes from `position` on being those of the section. moved: this
// node's, whether it or its replica wrote them.
std::optional<Failure> move_section(File& file, const Request& request, Index position, bool mapped, bool writing,
                                    Index& moved) {
    std::vector<mpiio::Memory> peers;
    if (mapped) peers = memory_of_all(file, request, writing);
    if (!request.array->member()) return file.move_all({}, 0, {}, writing, moved, peers);
    const Part part(*request.array, request.section);
    const bool idle = writing && !request.array->mapping->first_replica(request.array->nodes().coordinates);
    const mpiio::Memory mine = idle ? mpiio::Memory{} : part.block(request.array->base);
    auto failure = file.move_all({position, part.in_section(), request.bytes}, 0, mine, writing, moved, peers);
    if (!failure) moved = part.bytes();
    return failure;
}

std::vector<Index> nests_of(const sets::Extents& extents) {
    std::vector<Index> numbers;
    extents.for_each_nest(0, extents.size(), [&](const sets::Nest& nest) {
        numbers.insert(numbers.end(), {nest.offset, nest.length});
        for (const sets::Level& level : nest.levels) numbers.insert(numbers.end(), {level.count, level.stride});
    });
    return numbers;
}

// Collective, for the description: what was written from `position` of the view on. Where each node's view shows its own part
// of the section, the file has the whole section now.
void describe_through_view(File& file, const Request& request, const sets::Extents& own, Index position) {
    constexpr Index anywhere = std::numeric_limits<Index>::max();
    const mpiio::View& view = file.view();
    const Index size = view.pattern.size();
    const bool whole =
        request.bytes == view.period && nests_of(own) == nests_of(view.pattern) && (size == 0 || position % size == 0);
    const Index place = size == 0 ? anywhere : view.displacement + position / size * view.period;
    const std::array<Index, 3> mine = {whole ? 1 : 0, place, size == 0 ? anywhere : -place};
    std::array<Index, 3> all{};
    base::lowest(file.communicator(), mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T);
    if (all[0] == 1 && all[1] == -all[2]) file.sidecar->holds(*request.array, request.section, all[1]);
}

// Collective, through a view that the user has set: each node's part at its own place in its own view.
std::optional<Failure> move_through_view(File& file, const Request& request, bool writing, Index& moved) {
    std::optional<Part> part;
    if (request.array->member()) part.emplace(*request.array, request.section);
    const bool something = part && part->bytes() > 0, blind = something && file.view().pattern.size() == 0;
    std::optional<Failure> failure;
    if (blind) failure = Failure{-1, "this node owns elements of the section but nothing of the file's view"};
    if ((failure = agree(file.communicator(), failure))) return failure;
    const mpiio::Memory memory = something ? part->block(request.array->base) : mpiio::Memory{};
    if ((failure = file.move_all(file.view(), file.position, memory, writing, moved))) return failure;
    if (writing && file.sidecar)
        describe_through_view(file, request, part ? part->in_section() : sets::Extents(), file.position);
    file.position += moved;
    return std::nullopt;
}

std::string short_file(const File& file, const Request& request, Index position, Index available) {
    return "'" + file.name() + "' is too short: " + std::to_string(request.bytes) + " bytes of array '" + request.array->name +
           "' were asked for at byte " + std::to_string(position) + ", the file has " + std::to_string(available) + " left";
}

}  // namespace

std::optional<Failure> read_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved) {
    moved = 0;
    return file.counted(false, true, moved, [&]() -> std::optional<Failure> {
        Request request;
        Terms terms;
        std::optional<Failure> failure = examine(file, file.mode().read, "reading", descriptor, rp, request);
        if ((failure = negotiate(file, failure, request, terms))) return failure;
        if (file.viewed()) return move_through_view(file, request, false, moved);
        const Index available = std::max<Index>(0, terms.file_bytes - terms.position);
        if (request.bytes == 0 || available == 0) return std::nullopt;  // nothing to do, or at end of file
        if (available < request.bytes) return Failure{too_short, short_file(file, request, terms.position, available)};
        failure = move_section(file, request, terms.position, terms.mapped, false, moved);
        if (!failure) file.position += request.bytes;
        return failure;
    });
}

std::optional<Failure> write_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved) {
    moved = 0;
    return file.counted(true, true, moved, [&]() -> std::optional<Failure> {
        Request request;
        Terms terms;
        std::optional<Failure> failure = examine(file, file.mode().write, "writing", descriptor, rp, request);
        if ((failure = negotiate(file, failure, request, terms))) return failure;
        if (file.viewed()) return move_through_view(file, request, true, moved);
        const Index position = file.append_pending ? terms.file_bytes : terms.position;
        if (request.bytes > 0 && (failure = move_section(file, request, position, terms.mapped, true, moved))) return failure;
        file.position = position + request.bytes;
        file.append_pending = false;
        if (file.sidecar) file.sidecar->holds(*request.array, request.section, position);
        return std::nullopt;
    });
}

std::optional<Failure> read_same(File& file, void* buffer, Index bytes, Index& moved) {
    return file.counted(false, true, moved, [&]() -> std::optional<Failure> {
        const MPI_Comm comm = file.communicator();
        Terms terms{file.position, static_cast<std::uint64_t>(bytes) << 1, -1};
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
    });
}

std::optional<Failure> write_same(File& file, const void* buffer, Index bytes) {
    Index moved = 0;
    return file.counted(true, true, moved, [&]() -> std::optional<Failure> {
        const MPI_Comm comm = file.communicator();
        Terms terms{file.position, static_cast<std::uint64_t>(bytes) << 1, -1};
        std::optional<Failure> failure;
        if ((failure = agree(comm, std::nullopt, terms))) return failure;
        if (file.first_node()) failure = file.write_here(buffer, bytes, moved);
        if (!(failure = agree(comm, failure))) file.position += bytes;
        return failure;
    });
}

std::optional<Failure> set_view(File& file, Index displacement, xmp_desc_t descriptor, const xmp_range_t* rp) {
    Request request;
    std::optional<Failure> failure = examine(file, true, "", descriptor, rp, request);
    if (!failure && displacement < 0) failure = Failure{-1, "displacement " + std::to_string(displacement) + " is negative"};
    if ((failure = agree(file.communicator(), failure))) return failure;
    const bool member = request.array->member();
    file.set_view(displacement, member ? Part(*request.array, request.section).in_section() : sets::Extents(), request.bytes);
    return std::nullopt;
}

}  // namespace kumihimo::xmpio
