#include "mpiio/file/transfer.hpp"

#include <stdexcept>

#include "base/format.hpp"
#include "mpiio/file/datatype.hpp"
#include "mpiio/file/device_memory.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/external.hpp"

namespace kumihimo::mpiio {

namespace {

// Bytes of one element in the file.
Index element_bytes(const File& file, const Transfer& transfer) {
    return file.view.representation == Representation::native ? transfer.memory.pattern.size() : external_size(transfer.type);
}

// The user's buffer as an engine sees it. In another representation than the native one the data passes through a copy, whose
// bytes are those of the file.
class Buffer {
public:
    Buffer(const File& file, const Transfer& transfer, Index bytes)
        : transfer_(transfer), converted_(file.view.representation == Representation::external32 && bytes > 0) {
        if (!converted_) return;
        copy_.reset(new std::byte[bytes]);
        memory_ = {copy_.get(), sets::Extents::contiguous(1), 1};
        if (transfer.direction == Direction::write)
            fits_ = pack_external(transfer.memory.base, transfer.count, transfer.type, copy_.get());
    }
    const Memory& memory() const { return converted_ ? memory_ : transfer_.memory; }
    // Why the data cannot be written.
    std::optional<Failure> failure() const {
        if (fits_) return std::nullopt;
        return mpiio::failure(MPI_ERR_CONVERSION,
                              "external32 has 4 bytes for a long, which are too few for a value in the buffer");
    }
    // Read bytes go to the user; a value that the file ends in is left out.
    void deliver(Index moved) const {
        if (!converted_ || transfer_.direction == Direction::write) return;
        unpack_external(copy_.get(), moved, transfer_.count, transfer_.type, transfer_.memory.base);
    }

private:
    const Transfer& transfer_;
    bool converted_, fits_ = true;
    std::unique_ptr<std::byte[]> copy_;
    Memory memory_;
};

// A type may have no bytes in the file's representation.
std::optional<Failure> measure(const File& file, const Transfer& transfer, Index& element) {
    try {
        element = element_bytes(file, transfer);
        return std::nullopt;
    } catch (const std::invalid_argument& error) {
        return failure(MPI_ERR_TYPE, error.what());
    }
}

std::optional<Failure> check_mode(const File& file, const Transfer& transfer, Pointer pointer) {
    if (transfer.direction == Direction::read && file.has_mode(MPI_MODE_WRONLY))
        return failure(MPI_ERR_ACCESS, fmt::format("cannot read '{}': it was opened with MPI_MODE_WRONLY", file.path()));
    if (transfer.direction == Direction::write && file.has_mode(MPI_MODE_RDONLY))
        return failure(MPI_ERR_READ_ONLY, fmt::format("cannot write '{}': it was opened with MPI_MODE_RDONLY", file.path()));
    if (pointer != Pointer::shared && file.has_mode(MPI_MODE_SEQUENTIAL))
        return failure(
            MPI_ERR_UNSUPPORTED_OPERATION,
            fmt::format("'{}' was opened with MPI_MODE_SEQUENTIAL: only the shared file pointer may be used", file.path()));
    return std::nullopt;
}

std::optional<Failure> beyond_the_only_copy(const File& file, Index position, Index bytes) {
    if (!file.view.once || position + bytes <= file.view.bytes.pattern.size()) return std::nullopt;
    return failure(MPI_ERR_IO,
                   fmt::format("the access goes beyond the {} bytes of the file type, whose second copy would overlap the "
                               "first (MPI 3.1, 13.1.1 and 13.3)",
                               file.view.bytes.pattern.size()));
}

}  // namespace

Transfer transfer(Direction direction, void* buffer, MPI_Count count, MPI_Datatype type) {
    Transfer made{direction, count, type, {static_cast<std::byte*>(buffer), {}, 0}};
    Memory& memory = made.memory;
    try {
        if (type != MPI_DATATYPE_NULL) memory.pattern = extents_of(type);
    } catch (const std::invalid_argument& error) {
        made.incapable = error.what();
    }
    memory.period = count == 1 && memory.pattern.contiguous() ? memory.pattern.size() : memory.pattern.extent();
    return made;
}

std::optional<Failure> check(const File& file, const Transfer& transfer, Pointer pointer) {
    if (transfer.count < 0) return failure(MPI_ERR_COUNT, fmt::format("the count {} is negative", transfer.count));
    if (transfer.type == MPI_DATATYPE_NULL) return failure(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
    if (!transfer.incapable.empty()) return failure(MPI_ERR_TYPE, transfer.incapable);
    if (auto found = check_mode(file, transfer, pointer)) return found;
    Index element = 0, bytes = 0;
    if (auto found = measure(file, transfer, element)) return found;
    if (__builtin_mul_overflow(static_cast<Index>(transfer.count), element, &bytes))
        return failure(MPI_ERR_COUNT,
                       fmt::format("{} elements of {} bytes are more than a file can have", transfer.count, element));
    if (bytes % file.view.etype_bytes != 0)
        return failure(MPI_ERR_IO, fmt::format("{} bytes are not a whole number of the view's etypes ({} bytes each)", bytes,
                                               file.view.etype_bytes));
    if (bytes > 0 && file.view.bytes.pattern.size() == 0)
        return failure(MPI_ERR_IO, fmt::format("this rank's view of '{}' shows no bytes", file.path()));
    if (bytes > 0 && is_device_memory(transfer.memory.base))
        return failure(MPI_ERR_BUFFER,
                       "the buffer is memory of a GPU, which Kumihimo's file engine cannot read; copy it to host memory first");
    return std::nullopt;
}

Index bytes_of(const File& file, const Transfer& transfer) {
    return transfer.count * element_bytes(file, transfer);
}

std::optional<Failure> position_of(const File& file, MPI_Offset offset, Index& position) {
    if (offset < 0) return failure(MPI_ERR_ARG, fmt::format("the offset {} is negative", offset));
    if (__builtin_mul_overflow(static_cast<Index>(offset), file.view.etype_bytes, &position))
        return failure(MPI_ERR_ARG, fmt::format("the offset {} lies beyond what a file can have", offset));
    return std::nullopt;
}

Outcome move(File& file, const Transfer& transfer, Index position) {
    const Index bytes = bytes_of(file, transfer);
    if (bytes == 0) return {};
    if (auto found = beyond_the_only_copy(file, position, bytes)) return {0, found};
    const Buffer buffer(file, transfer, bytes);
    if (auto failure = buffer.failure()) return {0, failure};
    const Access access{file.view.bytes, position, bytes, buffer.memory(), nullptr};
    const Outcome outcome = transfer.direction == Direction::read ? file.engine().read(access) : file.engine().write(access);
    buffer.deliver(outcome.moved);
    return outcome;
}

Outcome move_all(File& file, const Transfer& transfer, Index position, const std::optional<Failure>& rejected_before) {
    const std::optional<Failure> rejected =
        rejected_before ? rejected_before : beyond_the_only_copy(file, position, bytes_of(file, transfer));
    const Transfer nothing{transfer.direction, 0, MPI_BYTE, {}};
    const Transfer& mine = rejected ? nothing : transfer;
    const Index bytes = bytes_of(file, mine);
    const Buffer buffer(file, mine, bytes);
    if (auto failure = buffer.failure()) return move_all(file, transfer, position, failure);
    // What a nonblocking collective left behind concerns all ranks, like wrong arguments, but does not keep this one from
    // moving.
    const std::optional<Failure>& known = rejected ? rejected : file.left_behind;
    const Access access{file.view.bytes, rejected ? 0 : position, bytes, buffer.memory(), known ? &*known : nullptr};
    Outcome outcome = transfer.direction == Direction::write ? file.engine().write_all(access)
                      : file.view.ascending_everywhere       ? file.engine().read_all(access)
                                                             : file.engine().read(access);
    buffer.deliver(outcome.moved);
    if (!outcome.agreed) outcome.failure = file.agree(rejected ? rejected : outcome.failure);
    file.left_behind.reset();
    return outcome;
}

void set_status(MPI_Status* status, const File& file, const Transfer& transfer, Index moved) {
    if (status == MPI_STATUS_IGNORE) return;
    if (file.view.representation == Representation::external32) moved = native_bytes(moved, transfer.type);
    MPI_Status_set_elements_x(status, MPI_BYTE, moved);
    MPI_Status_set_cancelled(status, 0);
}

}  // namespace kumihimo::mpiio
