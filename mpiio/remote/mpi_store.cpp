#include "mpiio/remote/mpi_store.hpp"

#include <mpi.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>

#include "base/format.hpp"
#include "iod/files/digest.hpp"
#include "iod/files/file.hpp"
#include "mpiio/engine/error_classes.hpp"
#include "mpiio/remote/layouts.hpp"

namespace kumihimo::mpiio::remote {

namespace {

using iod::Code;
using iod::Layout;
using iod::Offset;
using iod::OpenMode;
using iod::Status;

Status status_of(int error, const std::string& what, const std::string& path) {
    if (error == MPI_SUCCESS) return {};
    int error_class = MPI_ERR_OTHER, length = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    MPI_Error_class(error, &error_class);
    MPI_Error_string(error, text, &length);
    return {code_of(error_class), fmt::format("cannot {} '{}' by MPI-IO on the other machine: {}", what, path, text), ""};
}

int amode_of(const OpenMode& mode) {
    const int access = mode.read && mode.write ? MPI_MODE_RDWR : mode.write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    return access | (mode.create ? MPI_MODE_CREATE : 0) | (mode.exclusive ? MPI_MODE_EXCL : 0);
}

class Info {
public:
    Info() { MPI_Info_create(&info_); }
    Info(const Info&) = delete;
    ~Info() { MPI_Info_free(&info_); }
    void set(const std::string& key, const std::string& value) { MPI_Info_set(info_, key.c_str(), value.c_str()); }
    MPI_Info get() const { return info_; }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

// An open file of MPI, which all ranks on a connection share.
class Handle {
public:
    explicit Handle(std::string path) : path_(std::move(path)) {}
    Handle(const Handle&) = delete;
    ~Handle() { (void)close(); }

    Status open(const OpenMode& mode, const Choices& choices) {
        Info info;
        for (const auto& [key, value] : choices.hints) info.set(key, value);
        info.set("file_perm", fmt::format("{:o}", mode.permissions));
        const int opened = MPI_File_open(MPI_COMM_SELF, path_.c_str(), amode_of(mode), info.get(), &file_);
        if (opened != MPI_SUCCESS) file_ = MPI_FILE_NULL;
        if (opened != MPI_SUCCESS || !choices.shared) return told(opened, "open");
        return told(MPI_File_set_atomicity(file_, 1), "use in atomic mode");
    }

    Status write(const Layout& layout, std::span<const std::byte> bytes) {
        MPI_Status status;
        int written = 0;
        const auto count = static_cast<int>(bytes.size());
        if (Status failed = look_at(layout); !failed.ok()) return failed;
        const int error = MPI_File_write_at(file_, begin_, bytes.data(), count, MPI_BYTE, &status);
        if (error == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &written);
        if (error != MPI_SUCCESS || written == count) return told(error, "write to");
        return {Code::io_error, fmt::format("MPI-IO wrote {} of {} bytes of '{}' on the other machine", written, count, path_),
                "EIO"};
    }

    // Some MPI libraries count bytes behind the end of the file, too, where a view has gaps.
    Status read(const Layout& layout, std::span<std::byte> bytes, std::size_t& got) {
        MPI_Status status;
        int count = 0;
        Offset end = 0;
        if (Status failed = size(end); !failed.ok()) return failed;
        got = std::min(bytes.size(), bytes_before(layout, end));
        if (Status failed = look_at(layout); !failed.ok()) return failed;
        const int error = MPI_File_read_at(file_, begin_, bytes.data(), static_cast<int>(got), MPI_BYTE, &status);
        if (error == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &count);
        got = std::min(got, static_cast<std::size_t>(std::max(count, 0)));
        return told(error, "read");
    }

    Status size(Offset& bytes) {
        MPI_Offset end = 0;
        const int error = MPI_File_get_size(file_, &end);
        bytes = end;
        return told(error, "find the size of");
    }
    Status set_size(Offset bytes) { return told(MPI_File_set_size(file_, bytes), "set the size of"); }
    // It never makes a file shorter, and there is nothing to reserve for none.
    Status preallocate(Offset bytes) {
        return bytes == 0 ? Status{} : told(MPI_File_preallocate(file_, bytes), "reserve space for");
    }
    Status sync() { return told(MPI_File_sync(file_), "make durable"); }
    Status close() { return file_ == MPI_FILE_NULL ? Status{} : told(MPI_File_close(&file_), "close"); }

private:
    Status told(int error, const char* what) const { return status_of(error, what, path_); }

    // One block needs no view of its own.
    Status look_at(const Layout& layout) {
        const bool plain = is_one_block(layout);
        begin_ = plain ? layout.nests.front().offset : 0;
        if (plain && !viewed_) return {};
        viewed_ = !plain;
        const base::Datatype type = view_of(plain ? Layout{{{0, 1, {}}}} : layout);
        return told(MPI_File_set_view(file_, 0, MPI_BYTE, type, "native", MPI_INFO_NULL), "look at parts of");
    }

    std::string path_;
    MPI_File file_ = MPI_FILE_NULL;
    bool viewed_ = false;  // another view than that of all bytes
    MPI_Offset begin_ = 0;
};

// Those of the sessions of this process, by what one opening of all ranks is known by. By the one thread.
using Handles = std::map<iod::Opening, std::weak_ptr<Handle>>;

class MpiFile final : public iod::process::Storage {
public:
    MpiFile(const iod::FileOpen& open, std::shared_ptr<const Choices> choices, std::shared_ptr<Handles> handles)
        : path_(open.path.starts_with('/') ? open.path : "/" + open.path),
          opening_(open.opening),
          choices_(std::move(choices)),
          handles_(std::move(handles)),
          beside_(path_, "on the other machine") {}

    // Beside it the file is open for the operating system, for its locks, and to know it again.
    Status open(const OpenMode& mode) override {
        if (Status status = objection(); !status.ok()) return status;
        std::weak_ptr<Handle>& known = (*handles_)[opening_];
        handle_ = known.lock();
        if (!handle_) {
            handle_ = std::make_shared<Handle>(path_);
            if (Status status = handle_->open(mode, *choices_); !status.ok()) return status;
            known = handle_;
        }
        bool is_new = false;
        OpenMode as_it_is = mode;
        as_it_is.create = as_it_is.exclusive = false;
        return beside_.open(as_it_is, is_new);
    }
    std::uint64_t identity() const override { return beside_.identity_since_boot(); }

    Status write(const Layout& layout, std::span<const std::byte> bytes) override {
        return bytes.empty() ? Status{} : handle_->write(layout, bytes);
    }
    Status read(const Layout& layout, std::span<std::byte> bytes, std::size_t& got) override {
        return bytes.empty() ? Status{} : handle_->read(layout, bytes, got);
    }

    Status size(std::int64_t& bytes) override { return handle_->size(bytes); }
    Status set_size(Offset bytes) override { return handle_->set_size(bytes); }
    Status preallocate(Offset bytes) override { return handle_->preallocate(bytes); }
    Status digest(Offset bytes, std::int64_t& value) override {
        const auto part = [&](Offset at, std::span<std::byte> to, std::size_t& got) {
            if (hurries_) return Status::of_errno(ECANCELED, fmt::format("cannot compute the digest of '{}'", path_));
            return handle_->read({{{at, static_cast<Offset>(to.size()), {}}}}, to, got);
        };
        return iod::GrowingDigest().reach(bytes, part, value);
    }
    Status sync() override { return handle_->sync(); }
    // The last session of a file closes it.
    Status close() override {
        Status status = beside_.close();
        const std::shared_ptr<Handle> held = std::move(handle_);
        if (held.use_count() > 1) return status;
        handles_->erase(opening_);
        status.keep_first(held->close());
        return status;
    }

    Status try_lock(bool& held) override { return beside_.try_lock(held); }
    Status unlock() override { return beside_.unlock(); }
    void hurry() override { hurries_ = true; }

private:
    // What MPI_File_open would wait for, or take for another name.
    Status objection() const {
        struct stat status {};
        if (path_.find('\0') != std::string::npos) return Status::of_errno(EINVAL, "cannot open what has a zero in its name");
        const bool there = ::stat(path_.c_str(), &status) == 0;
        if (there && S_ISDIR(status.st_mode)) return Status::of_errno(EISDIR, fmt::format("cannot open '{}'", path_));
        if (there && !S_ISREG(status.st_mode))
            return {Code::not_supported, fmt::format("'{}' is no file for MPI-IO", path_), ""};
        return {};
    }

    std::string path_;
    iod::Opening opening_;
    std::shared_ptr<const Choices> choices_;
    std::shared_ptr<Handles> handles_;
    std::shared_ptr<Handle> handle_;
    iod::process::File beside_;
    std::atomic<bool> hurries_ = false;
};

}  // namespace

iod::process::Store mpi_store(Choices choices) {
    return [choices = std::make_shared<const Choices>(std::move(choices)), handles = std::make_shared<Handles>(),
            worker = std::make_shared<std::shared_ptr<iod::process::Worker>>()](asio::io_context& loop,
                                                                                const iod::FileOpen& open, const iod::Way&) {
        if (!*worker) *worker = iod::process::make_worker(loop);
        return iod::process::Stored{std::make_shared<MpiFile>(open, choices, handles), *worker};
    };
}

}  // namespace kumihimo::mpiio::remote
