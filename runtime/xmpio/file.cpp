#include "runtime/xmpio/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/error.hpp"
#include "base/settings.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr Index largest_call = Index{1} << 30;  // MPI counts are int
constexpr int patience = 3;                     // calls without progress before it is an error

// Names like "stampi:..." or "ufs:..." belong to an MPI-IO driver; only plain paths can be looked at directly.
bool plain_path(const std::string& name) {
    const auto colon = name.find(':');
    return colon == std::string::npos || name.find('/') < colon;
}

// What a file system says; any other errno may be left over from elsewhere.
bool file_system_error(int number) {
    switch (number) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case EIO:
        case EROFS:
        case EACCES:
        case EPERM:
        case ENOENT:
        case ESTALE:
        case ENOMEM:
        case EBADF:
        case EISDIR:
        case ENAMETOOLONG:
        case ETIMEDOUT:
            return true;
        default:
            return false;
    }
}

std::optional<Failure> try_open(const std::string& name, int flags, const char* verb) {
    int descriptor;
    do descriptor = ::open(name.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return Failure{-1, std::string("cannot ") + verb + " '" + name + "': " + std::strerror(errno), errno};
    struct stat status {};
    const bool directory = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    ::close(descriptor);
    if (directory) return Failure{-1, std::string("cannot ") + verb + " '" + name + "': " + std::strerror(EISDIR), EISDIR};
    return std::nullopt;
}

// What KUMIHIMO_XMPIO_HINTS tells the MPI library about every file.
class Hints {
public:
    // Throws base::Error for what is no KEY=VALUE,... A piece without = belongs to the value before it.
    Hints() {
        std::istringstream pieces(base::setting("KUMIHIMO_XMPIO_HINTS"));
        std::vector<std::pair<std::string, std::string>> hints;
        for (std::string piece; std::getline(pieces, piece, ',');) {
            const auto equals = piece.find('=');
            if (equals != std::string::npos)
                hints.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
            else if (!hints.empty())
                hints.back().second += "," + piece;
            else
                refuse(piece);
        }
        for (const auto& [key, value] : hints)
            if (key.empty() || key.size() >= MPI_MAX_INFO_KEY || value.empty() || value.size() >= MPI_MAX_INFO_VAL) refuse(key);
        if (!hints.empty()) MPI_Info_create(&info_);
        for (const auto& [key, value] : hints) MPI_Info_set(info_, key.c_str(), value.c_str());
    }
    Hints(const Hints&) = delete;
    ~Hints() {
        if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
    }
    operator MPI_Info() const { return info_; }

private:
    [[noreturn]] static void refuse(const std::string& piece) {
        throw base::Error("KUMIHIMO_XMPIO_HINTS: '" + piece.substr(0, 40) + "' is no hint",
                          "Write KEY=VALUE, separated by commas.");
    }
    MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace

std::optional<Failure> rehearse(MPI_Comm comm, const std::string& name, const Mode& mode) {
    if (!plain_path(name)) return std::nullopt;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const int access = mode.read && mode.write ? O_RDWR : mode.write ? O_WRONLY : O_RDONLY;
    std::optional<Failure> failure;
    if (mode.create) {
        if (rank == 0) {
            const int further = (mode.truncate ? O_TRUNC : 0) | (mode.exclusive ? O_EXCL : 0);
            failure = try_open(name, access | O_CREAT | further, "create");
        }
        if ((failure = agree(comm, failure))) return failure;
    }
    if (rank != 0 || !mode.create) failure = try_open(name, access, mode.write ? "write" : "open");
    return agree(comm, failure);
}

std::string mpi_error_text(int code, int system_error) {
    if (file_system_error(system_error)) return std::strerror(system_error);
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::string result(text, length);
    return result.substr(0, result.find('\n'));
}

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

std::unique_ptr<File> File::open(const std::string& name, const Mode& mode, std::optional<Failure>& failure) {
    std::unique_ptr<File> file(new File);
    file->set_ = execution::Context::get().executing();
    file->name_ = name;
    file->mode_ = mode;
    file->communicator_ = Communicator::of(file->set_->communicator());
    const MPI_Comm comm = *file->communicator_;
    std::optional<Hints> hints;
    try {
        hints.emplace();
    } catch (const base::Error& error) {  // on all nodes, which have the same setting
        failure = Failure{-1, std::string(error.what()) + ". " + error.advice()};
        return nullptr;
    }
    if ((failure = rehearse(comm, name, mode))) return nullptr;
    const int access = mode.read && mode.write ? MPI_MODE_RDWR : mode.write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const int creates = (mode.create ? MPI_MODE_CREATE : 0) | (mode.exclusive && !plain_path(name) ? MPI_MODE_EXCL : 0);
    errno = 0;
    const int code = MPI_File_open(comm, name.c_str(), access | creates, *hints, &file->handle_);
    if (code != MPI_SUCCESS) failure = Failure{-1, "cannot open '" + name + "': " + mpi_error_text(code, errno)};
    if ((failure = agree(comm, failure))) return nullptr;
    MPI_File_set_errhandler(file->handle_, MPI_ERRORS_RETURN);
    if (!plain_path(name) && mode.truncate) {
        if (MPI_File_set_size(file->handle_, 0) != MPI_SUCCESS) failure = Failure{-1, "cannot truncate '" + name + "'"};
        if ((failure = agree(comm, failure))) {
            MPI_File_close(&file->handle_);
            return nullptr;
        }
    }
    file->append_pending = mode.append;
    if (mode.at_end) {
        file->position = file->bytes();
        MPI_Bcast(&file->position, 1, MPI_INT64_T, 0, comm);
    }
    if (mode.write && plain_path(name) && base::setting_flag("KUMIHIMO_XMPIO_SIDECAR")) (void)file->describe();
    return file;
}

std::optional<Failure> File::close() {
    errno = 0;
    const int code = MPI_File_close(&handle_);
    std::optional<Failure> failure;
    if (code != MPI_SUCCESS) failure = Failure{2, "cannot close '" + name_ + "': " + mpi_error_text(code, errno)};
    if (!mode_.write) return failure;  // a file that was only read has nothing left to lose
    if ((failure = agree(*communicator_, failure)) || !sidecar) return failure;
    if ((failure = sidecar->store(name_, name_))) failure->code = 2;
    return failure;
}

std::optional<Failure> File::describe() {
    if (sidecar) return std::nullopt;
    if (auto failure = refuses(true)) return failure;
    if (!plain_path(name_)) return Failure{-1, "'" + name_ + "' is no plain path, beside which a description could stand"};
    sidecar = std::make_unique<Sidecar>(communicator(), name_, !mode_.truncate);
    return std::nullopt;
}

std::optional<Failure> File::synchronise() const {
    const auto sync = [&]() -> std::optional<Failure> {
        const int code = mode_.write ? MPI_File_sync(handle_) : MPI_SUCCESS;
        if (code == MPI_SUCCESS) return std::nullopt;
        return Failure{-1, "cannot synchronise '" + name_ + "': " + mpi_error_text(code, 0)};
    };
    if (auto failure = agree(*communicator_, sync())) return failure;
    return agree(*communicator_, sync());  // from here on this node sees the others' data
}

Index File::bytes() const {
    MPI_Offset size = 0;
    return MPI_File_get_size(handle_, &size) == MPI_SUCCESS ? static_cast<Index>(size) : 0;
}

// Repeats `call(offset, done, count, status)` until all bytes have moved.
template <typename Call>
std::optional<Failure> File::transfer(Index offset, Index bytes, Index& moved, const char* verb, Call&& call) const {
    int idle = 0;
    moved = 0;
    while (moved < bytes) {
        const int count = static_cast<int>(std::min(bytes - moved, largest_call));
        MPI_Status status;
        int transferred = 0;
        errno = 0;
        const int code = call(offset + moved, moved, count, &status);
        const int system_error = errno;
        if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &transferred);
        // Open MPI reports success and no bytes where the disk is full.
        const bool refused = transferred <= 0 && file_system_error(system_error);
        if (refused || (code != MPI_SUCCESS && system_error != EINTR && system_error != EAGAIN))
            return Failure{-1, std::string("cannot ") + verb + " " + std::to_string(count) + " bytes at byte " +
                                   std::to_string(offset + moved) + " of '" + name_ +
                                   "': " + mpi_error_text(code, system_error)};
        if (transferred < 0) transferred = 0;  // MPI_UNDEFINED
        moved += transferred;
        idle = transferred > 0 ? 0 : idle + 1;
        if (idle == patience) break;
    }
    return std::nullopt;
}

std::optional<Failure> File::read(Index offset, void* buffer, Index bytes, Index& moved) const {
    return transfer(offset, bytes, moved, "read", [&](Index at, Index done, int count, MPI_Status* status) {
        return MPI_File_read_at(handle_, at, static_cast<char*>(buffer) + done, count, MPI_BYTE, status);
    });
}

std::optional<Failure> File::write(Index offset, const void* buffer, Index bytes) const {
    Index moved = 0;
    if (sidecar && view == View::bytes) sidecar->wrote(offset, offset + bytes);
    if (sidecar && view != View::bytes) sidecar->wrote_anywhere();
    auto failure = transfer(offset, bytes, moved, "write", [&](Index at, Index done, int count, MPI_Status* status) {
        return MPI_File_write_at(handle_, at, static_cast<const char*>(buffer) + done, count, MPI_BYTE, status);
    });
    if (!failure && moved < bytes)
        failure = Failure{-1, "wrote only " + std::to_string(moved) + " of " + std::to_string(bytes) + " bytes at byte " +
                                  std::to_string(offset) + " of '" + name_ + "': the file system takes no more"};
    return failure;
}

std::optional<Failure> File::refuses(bool writing) const {
    if (writing ? mode_.write : mode_.read) return std::nullopt;
    return Failure{-1, "'" + name_ + "' was not opened for " + (writing ? "writing" : "reading")};
}

std::optional<Failure> File::read_here(void* buffer, Index bytes, Index& moved) const {
    if (auto failure = refuses(false)) return failure;
    if (bytes == 0) return std::nullopt;
    if (view == View::empty) return Failure{-1, "this node's view of '" + name_ + "' is empty"};
    return read(position, buffer, bytes, moved);
}

std::optional<Failure> File::write_here(const void* buffer, Index bytes, Index& moved) {
    if (auto failure = refuses(true)) return failure;
    if (bytes == 0) return std::nullopt;
    if (view == View::empty) return Failure{-1, "this node's view of '" + name_ + "' is empty"};
    if (append_pending && view == View::bytes) position = this->bytes();
    append_pending = false;
    const auto failure = write(position, buffer, bytes);
    if (!failure) moved = bytes;
    return failure;
}

std::optional<Failure> File::move_shared(void* buffer, Index bytes, bool writing, Index& moved) const {
    const char* const verb = writing ? "write" : "read";
    if (view != View::bytes) return Failure{-1, "the shared pointer cannot be used while a view is set"};
    if (bytes > largest_call)
        return Failure{-1, "a transfer at the shared pointer moves at most " + std::to_string(largest_call) + " bytes"};
    if (sidecar && writing) sidecar->wrote_anywhere();
    MPI_Status status;
    errno = 0;
    const int code = writing ? MPI_File_write_shared(handle_, buffer, static_cast<int>(bytes), MPI_BYTE, &status)
                             : MPI_File_read_shared(handle_, buffer, static_cast<int>(bytes), MPI_BYTE, &status);
    if (code != MPI_SUCCESS)
        return Failure{
            -1, std::string("cannot ") + verb + " at the shared position of '" + name_ + "': " + mpi_error_text(code, errno)};
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    moved = std::max(0, count);
    if (writing && moved < bytes)
        return Failure{-1,
                       "wrote only " + std::to_string(moved) + " of " + std::to_string(bytes) + " bytes of '" + name_ + "'"};
    return std::nullopt;
}

}  // namespace kumihimo::xmpio
