#include "mpiio/engine/direct/shared.hpp"

#include <fcntl.h>

#include <random>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::mpiio::direct {

namespace {

unsigned long long fresh_token() {
    static thread_local std::mt19937_64 random = [] {  // asking the device takes as long as opening a file
        std::random_device device;
        return std::mt19937_64(static_cast<std::uint64_t>(device()) << 32 | device());
    }();
    return random();
}

// Hidden, beside the data: every rank that reaches the file reaches its directory.
std::string pointer_path(const std::string& path, unsigned long long token) {
    const auto slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    return fmt::format("{}.{}.kumihimo-{:x}", directory, path.substr(directory.size()), token);
}

base::SharingMethod sharing_method() {
    const std::string wish = base::setting("KUMIHIMO_SHM");
    if (wish == "off" || wish == "0" || base::setting_number("KUMIHIMO_NODES_PER_MACHINE") > 0)
        return base::SharingMethod::none;
    return wish == "posix" ? base::SharingMethod::posix : base::SharingMethod::memfd;
}

}  // namespace

SharedPointer::Invitation SharedPointer::invite(const std::string& path, int ranks) {
    Invitation invitation;
    invitation.token = fresh_token();
    file_path_ = pointer_path(path, invitation.token);
    const base::SharingMethod method = sharing_method();
    if (method == base::SharingMethod::none) return invitation;
    try {
        const std::size_t bytes = sizeof(Board) + static_cast<std::size_t>(ranks) * sizeof(Noticeboard::Place);
        owned_.emplace(base::SharedFile::create(method, bytes));
        base::reserve(owned_->ticket(), 0, bytes);
        memory_ = owned_->map();
        board().token = invitation.token;
        invitation.ticket = owned_->ticket();
    } catch (const base::Error&) {
        owned_.reset();  // the file does as well
    }
    return invitation;
}

bool SharedPointer::accept(const std::string& path, const Invitation& invitation) {
    file_path_ = pointer_path(path, invitation.token);
    if (invitation.ticket.method == base::SharingMethod::none) return false;
    try {
        memory_ = base::attach(invitation.ticket);
        return board().token == invitation.token;
    } catch (const base::Error&) {
        return false;
    }
}

void SharedPointer::settle(bool by_memory) {
    if (by_memory)
        word_ = &board().value;
    else
        memory_ = base::Mapping();
    owned_.reset();
}

template <typename Change>
std::optional<Failure> SharedPointer::update(Change&& change, Index& before) {
    if (!file_.is_open())
        if (auto failed = file_.open(file_path_, O_RDWR | O_CREAT, 0600)) return failed;
    if (auto failed = file_.lock(0, sizeof before, true)) return failed;
    before = 0;
    auto failed = file_.read(0, reinterpret_cast<std::byte*>(&before), sizeof before).failure;  // empty at first: 0
    const Index after = change(before);
    if (!failed) failed = file_.write(0, reinterpret_cast<const std::byte*>(&after), sizeof after).failure;
    auto unlocked = file_.unlock(0, sizeof before);
    return failed ? failed : unlocked;
}

std::optional<Failure> SharedPointer::add(Index amount, Index& before) {
    if (!word_) return update([&](Index value) { return value + amount; }, before);
    before = word_->fetch_add(amount);
    return std::nullopt;
}

std::optional<Failure> SharedPointer::set(Index value) {
    Index before = 0;
    if (!word_) return update([&](Index) { return value; }, before);
    word_->store(value);
    return std::nullopt;
}

std::optional<Failure> SharedPointer::close(bool remove) {
    auto failed = file_.close();
    if (!remove || word_) return failed;
    const auto gone = remove_file(file_path_);
    if (gone && gone->code != MPI_ERR_NO_SUCH_FILE && !failed) failed = gone;  // not there: nobody used the pointer
    return failed;
}

}  // namespace kumihimo::mpiio::direct
