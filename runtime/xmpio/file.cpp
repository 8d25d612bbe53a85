#include "runtime/xmpio/file.hpp"

#include <algorithm>
#include <cstdio>

#include "base/collective.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "runtime/xmpio/opening.hpp"

namespace kumihimo::xmpio {

namespace {

int amode_of(const Mode& mode) {
    const int access = mode.read && mode.write ? MPI_MODE_RDWR : mode.write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    return access | (mode.create ? MPI_MODE_CREATE : 0) | (mode.exclusive ? MPI_MODE_EXCL : 0);
}

mpiio::Memory row(const void* buffer, Index bytes) {
    return {static_cast<std::byte*>(const_cast<void*>(buffer)), sets::Extents::contiguous(bytes), bytes};
}

// Engines count ranks, where users of XcalableMP count nodes.
std::string of_nodes(const std::string& text) {
    constexpr std::string_view rank = "rank ";
    return text.starts_with(rank) ? "node " + text.substr(rank.size()) : text;
}

}  // namespace

std::optional<Mode> Mode::parse(const std::string& text) {
    std::string letters;
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters), [](char c) { return c != 'b'; });
    //                     read   write  append create truncate at_end
    if (letters == "r") return Mode{true, false, false, false, false, false};
    if (letters == "r+") return Mode{true, true, false, false, false, false};
    if (letters == "w") return Mode{false, true, false, true, true, false};
    if (letters == "w+") return Mode{true, true, false, true, true, false};
    if (letters == "a") return Mode{false, true, true, true, false, true};
    if (letters == "a+") return Mode{true, true, true, true, false, false};
    return std::nullopt;
}

std::optional<Failure> File::told(const std::optional<Failure>& failure, int code) {
    if (!failure) return std::nullopt;
    return Failure{code, of_nodes(failure->text), failure->system_error};
}

// Node 0's answer, for all.
std::optional<Failure> File::bytes_for_all(Index& bytes) const {
    const auto failure = agree(communicator(), first_node() ? this->bytes(bytes) : std::nullopt);
    if (!failure) base::broadcast(communicator(), 0, bytes);
    return failure;
}

// What follows opening: nothing of the file is left, or the pointer goes to its end.
std::optional<Failure> File::begin() {
    append_pending = mode_.append;
    if (mode_.truncate || mode_.at_end) {
        Index bytes = 0;
        if (auto failure = bytes_for_all(bytes)) return failure;
        if (mode_.at_end) position = bytes;
        if (mode_.truncate && bytes > 0)
            if (auto failure = agree(communicator(), told(engine_->set_size(0)))) return failure;
    }
    return mode_.write && base::setting_flag("KUMIHIMO_XMPIO_SIDECAR") ? describe() : std::nullopt;
}

std::unique_ptr<File> File::open(const std::string& name, const Mode& mode, std::optional<Failure>& failure) {
    std::unique_ptr<File> file(new File);
    file->set_ = execution::Context::get().executing();
    file->name_ = name;
    file->mode_ = mode;
    file->communicator_ = Communicator::of(file->set_->communicator());
    OpenedFile opened = open_engine_file(file->communicator(), name, amode_of(mode), failure);
    if ((failure = told(failure))) return nullptr;
    file->engine_ = std::move(opened.file);
    file->server_ = opened.server;
    file->reports_ = mpiio::reporting();
    if ((failure = file->begin())) {
        (void)file->close();
        return nullptr;
    }
    return file;
}

std::optional<Failure> File::close() {
    constexpr int not_closed = 2;  // what xmp_fclose_all returns
    const auto failure = told(engine_->close(), not_closed);
    if (reports_) mpiio::report_file(communicator(), name_, server_, calls_, *engine_, "node");
    engine_.reset();
    if (!mode_.write) return failure;  // a file that was only read has nothing left to lose
    if (auto agreed = agree(communicator(), failure); agreed || !sidecar) return agreed;
    auto stored = sidecar->store(name_, name_);
    if (stored) stored->code = not_closed;
    return stored;
}

std::optional<Failure> File::describe() {
    if (sidecar) return std::nullopt;
    if (auto failure = refuses(true)) return failure;
    sidecar = std::make_unique<Sidecar>(communicator(), name_, !mode_.truncate);
    return std::nullopt;
}

std::optional<Failure> File::synchronise() {
    return agree(communicator(), mode_.write ? told(engine_->sync()) : std::nullopt);
}

std::optional<Failure> File::bytes(Index& bytes) const {
    bytes = 0;
    return told(engine_->size(bytes));
}

std::optional<Failure> File::read(Index offset, void* buffer, Index bytes, Index& moved) {
    return counted(false, false, moved, [&] {
        const mpiio::Memory memory = row(buffer, bytes);
        const mpiio::Outcome outcome = engine_->read({view_, offset, bytes, memory});
        moved = outcome.moved;
        return told(outcome.failure);
    });
}

// From the first byte that it moves to the last: whatever becomes of it, nobody knows any more what lies there.
void File::note_write(const mpiio::View& view, Index offset, Index bytes) const {
    if (sidecar && bytes > 0) sidecar->wrote(view.offset(offset), view.offset(offset + bytes - 1) + 1);
}

std::optional<Failure> File::write(Index offset, const void* buffer, Index bytes) {
    note_write(view_, offset, bytes);
    Index moved = 0;
    return counted(true, false, moved, [&] {
        const mpiio::Memory memory = row(buffer, bytes);
        const mpiio::Outcome outcome = engine_->write({view_, offset, bytes, memory});
        moved = outcome.moved;
        return told(outcome.failure);
    });
}

std::optional<Failure> File::refuses(bool writing) const {
    if (writing ? mode_.write : mode_.read) return std::nullopt;
    return Failure{-1, fmt::format("'{}' was not opened for {}", name_, writing ? "writing" : "reading")};
}

std::optional<Failure> File::sees_nothing() const {
    if (view_.pattern.size() > 0) return std::nullopt;
    return Failure{-1, fmt::format("this node's view of '{}' is empty", name_)};
}

std::optional<Failure> File::read_here(void* buffer, Index bytes, Index& moved) {
    if (auto failure = refuses(false)) return failure;
    if (bytes == 0) return std::nullopt;
    if (auto failure = sees_nothing()) return failure;
    return read(position, buffer, bytes, moved);
}

std::optional<Failure> File::write_here(const void* buffer, Index bytes, Index& moved) {
    if (auto failure = refuses(true)) return failure;
    if (bytes == 0) return std::nullopt;
    if (auto failure = sees_nothing()) return failure;
    if (append_pending && !viewed_)
        if (auto failure = this->bytes(position)) return failure;
    append_pending = false;
    const auto failure = write(position, buffer, bytes);
    if (!failure) moved = bytes;
    return failure;
}

std::optional<Failure> File::move_shared(void* buffer, Index bytes, bool writing, Index& moved) {
    if (viewed_) return Failure{-1, "the shared pointer cannot be used while a view is set"};
    Index at = 0;
    if (auto failure = told(engine_->add_to_shared(bytes, at))) return failure;
    if (!writing) return read(at, buffer, bytes, moved);
    auto failure = write(at, buffer, bytes);
    if (!failure) moved = bytes;
    return failure;
}

std::optional<Failure> File::move_all(const mpiio::View& view, Index offset, const mpiio::Memory& memory, bool writing,
                                      Index& moved, std::span<const mpiio::Memory> peers) {
    if (writing) note_write(view, offset, memory.pattern.size());
    const mpiio::Access access{view, offset, memory.pattern.size(), memory, nullptr, peers};
    const mpiio::Outcome outcome = writing ? engine_->write_all(access) : engine_->read_all(access);
    moved = outcome.moved;
    std::optional<Failure> failure = told(outcome.failure);
    if (writing && outcome.agreed) return failure;
    if (!failure && moved < access.bytes) failure = Failure{-1, fmt::format("'{}' ended while it was read", name_)};
    return agree(communicator(), failure);
}

std::optional<Failure> File::end(Index& position) const {
    Index bytes = 0;
    const auto failure = this->bytes(bytes);
    position = view_.position(bytes);
    return failure;
}

std::optional<Failure> File::tell_shared(Index& position) const {
    return told(engine_->add_to_shared(0, position));
}

// Node 0's part.
std::optional<Failure> File::move_shared_pointer(Index offset, int whence) {
    if (viewed_) return Failure{-1, "the shared pointer cannot be used while a view is set"};
    Index start = 0;
    std::optional<Failure> failure;
    if (whence == SEEK_CUR) failure = tell_shared(start);
    if (whence == SEEK_END) failure = bytes(start);
    if (failure) return failure;
    if (start + offset < 0) return Failure{-1, fmt::format("position {} lies before the file", start + offset)};
    return told(engine_->set_shared(start + offset));
}

std::optional<Failure> File::seek_shared(Index offset, int whence) {
    return agree(communicator(), first_node() ? move_shared_pointer(offset, whence) : std::nullopt);
}

void File::set_view(Index displacement, const sets::Extents& own, Index section_bytes) {
    view_ = {displacement, own, section_bytes};
    viewed_ = true;
    position = 0;
}

void File::clear_view() {
    view_ = {};
    viewed_ = false;
}

}  // namespace kumihimo::xmpio
