// Views (MPI 3.1, 13.3) and representations (13.5).
#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/format.hpp"
#include "mpiio/engine/info.hpp"
#include "mpiio/file/datatype.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/external.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/shared_pointer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

std::optional<Failure> parse_representation(const char* name, Representation& representation) {
    const std::string text = name == nullptr ? "" : name;
    representation = text == "external32" ? Representation::external32 : Representation::native;
    if (text == "native" || text == "internal" || text == "external32") return std::nullopt;  // internal: the native one
    return failure(MPI_ERR_UNSUPPORTED_DATAREP,
                   fmt::format("the data representation '{}' is none of native, internal, external32", text));
}

// The bytes of a type in the file.
sets::Extents pattern_of(MPI_Datatype type, Representation representation) {
    return representation == Representation::native ? extents_of(type) : external_extents_of(type);
}

// Readers may see a byte twice (13.3); then only independent reads find their way.
bool ascending(const FileView& view) {
    return sets::tiled_ascending(view.bytes.pattern, view.bytes.period);
}

// They may not see a block before an earlier one, though.
bool starts_in_order(const sets::Extents& pattern) {
    Index last = std::numeric_limits<Index>::min();
    bool in_order = true;
    pattern.for_each(0, pattern.size(), [&](const sets::Blocks& blocks) {
        in_order = in_order && blocks.offset >= last && (blocks.count == 1 || blocks.stride >= 0);
        last = blocks.offset + (blocks.count - 1) * blocks.stride;
    });
    return in_order;
}

// File types whose bounds leave out a part, such as PnetCDF's with a header, would overlap if they were repeated. Who sets them
// accesses one copy; more of them are refused then (transfer.cpp).
void restrict_to_one_copy(const File& file, FileView& view) {
    const sets::Extents& pattern = view.bytes.pattern;
    view.once = !file.has_mode(MPI_MODE_RDONLY) && pattern.ascending() && !ascending(view);
    if (view.once) view.bytes.period = pattern.true_upper() - pattern.true_lower();
}

std::optional<Failure> check_filetype(const File& file, const FileView& view) {
    const sets::Extents& pattern = view.bytes.pattern;
    if (pattern.size() == 0) return std::nullopt;
    if (pattern.size() % view.etype_bytes != 0)
        return failure(MPI_ERR_ARG, fmt::format("the file type ({} bytes) is not made of etypes ({} bytes)", pattern.size(),
                                                view.etype_bytes));
    if (!ascending(view) && !(file.has_mode(MPI_MODE_RDONLY) && starts_in_order(pattern)))
        return failure(MPI_ERR_IO,
                       "the displacements of the file type decrease, or its parts overlap (MPI 3.1, 13.1.1 and 13.3)");
    if (pattern.true_lower() < 0 && view.bytes.displacement + pattern.true_lower() < 0)
        return failure(MPI_ERR_IO, "the file type reaches to a place before the beginning of the file");
    return std::nullopt;
}

std::optional<Failure> current_displacement(File& file, MPI_Offset& displacement) {
    if (displacement != MPI_DISPLACEMENT_CURRENT) {
        if (displacement < 0) return failure(MPI_ERR_ARG, fmt::format("the displacement {} is negative", displacement));
        return std::nullopt;
    }
    if (!file.has_mode(MPI_MODE_SEQUENTIAL))
        return failure(MPI_ERR_ARG, "MPI_DISPLACEMENT_CURRENT needs a file opened with MPI_MODE_SEQUENTIAL");
    Index position = 0;
    if (auto found = file.engine().add_to_shared(0, position)) return found;
    displacement = file.view.bytes.offset(position);
    return std::nullopt;
}

std::optional<Failure> make_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                                 const char* representation, FileView& view) {
    if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL)
        return failure(MPI_ERR_TYPE, "the etype or the file type is MPI_DATATYPE_NULL");
    if (auto found = current_displacement(file, displacement)) return found;
    if (auto found = parse_representation(representation, view.representation)) return found;
    try {
        view.bytes.pattern = pattern_of(filetype, view.representation);
        view.etype_bytes = view.representation == Representation::native ? extents_of(etype).size() : external_size(etype);
    } catch (const std::invalid_argument& error) {
        return failure(MPI_ERR_TYPE, error.what());
    }
    view.bytes.displacement = displacement;
    view.bytes.period = view.bytes.pattern.extent();
    restrict_to_one_copy(file, view);
    if (view.etype_bytes == 0) return failure(MPI_ERR_ARG, "the etype has no bytes");
    view.representation_name = representation;
    view.etype = KeptType(etype);
    view.filetype = KeptType(filetype);
    return check_filetype(file, view);
}

// Collective: what must be equal on all ranks (13.3), agreed together with failures.
std::optional<Failure> agree_on_view(File& file, const std::optional<Failure>& mine, FileView& view, bool& has_hints) {
    const Index representation = static_cast<Index>(view.representation);
    const Index unknown = std::numeric_limits<Index>::max();
    const auto least = file.team().lowest<6>({mine ? unknown : view.etype_bytes, mine ? unknown : -view.etype_bytes,
                                              mine ? unknown : representation, mine ? unknown : -representation,
                                              ascending(view), has_hints ? 0 : 1});
    view.ascending_everywhere = least[4] != 0;
    has_hints = least[5] == 0;  // of any rank: to set them is collective
    std::optional<Failure> found = mine;
    if (!found && (least[0] != -least[1] || least[2] != -least[3]))
        found = failure(MPI_ERR_NOT_SAME, "the ranks set views with different etypes or data representations");
    return file.agree(found);
}

}  // namespace

int set_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, const char* representation,
             MPI_Info info) {
    const std::lock_guard lock(file.mutex());
    FileView view;
    // Accesses by different views may meet, with no sync between (PnetCDF fills a variable, then writes it): in their order.
    const std::optional<Failure> flushed = file.engine().flush();
    std::optional<Failure> failure = make_view(file, displacement, etype, filetype, representation, view);
    bool has_hints = info != MPI_INFO_NULL;
    failure = agree_on_view(file, failure, view, has_hints);
    if (!failure) failure = set_shared(file, 0);
    if (!failure) {
        file.view = std::move(view);
        file.position = 0;
        if (has_hints) file.engine().set_hints(hints_of(info));
    }
    return file.finish("MPI_File_set_view", failure ? failure : flushed, true);
}

int get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype, char* representation) {
    const std::lock_guard lock(file.mutex());
    *displacement = file.view.bytes.displacement;
    *etype = file.view.etype.copy();
    *filetype = file.view.filetype.copy();
    std::strcpy(representation, file.view.representation_name.c_str());  // not strncpy: it fills what programs made shorter
    return MPI_SUCCESS;
}

int get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure;
    if (offset < 0) failure = mpiio::failure(MPI_ERR_ARG, fmt::format("the offset {} is negative", offset));
    if (!failure && file.view.bytes.pattern.size() == 0)
        failure = mpiio::failure(MPI_ERR_IO, "this rank's view shows no bytes");
    if (!failure) *displacement = file.view.bytes.offset(offset * file.view.etype_bytes);
    return file.finish("MPI_File_get_byte_offset", failure, false);
}

int get_type_extent(File& file, MPI_Datatype type, MPI_Count* extent) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure;
    try {
        *extent = pattern_of(type, file.view.representation).extent();
    } catch (const std::invalid_argument& error) {
        failure = mpiio::failure(MPI_ERR_TYPE, error.what());
    }
    return file.finish("MPI_File_get_type_extent", failure, false);
}

}  // namespace kumihimo::mpiio::operations
