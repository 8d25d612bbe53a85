#include "mpiio/engine/direct/shared.hpp"

#include <fcntl.h>

#include "base/format.hpp"
#include "iod/marks/mark_name.hpp"

namespace kumihimo::mpiio::direct {

namespace {

// Hidden, beside the data: every rank that reaches the file reaches its directory.
std::string pointer_path(const std::string& path, unsigned long long token) {
    const auto slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    return fmt::format("{}.{}.kumihimo-{:x}", directory, iod::marks::stem_of(path.substr(directory.size())), token);
}

}  // namespace

// When the file is gone on this rank, all have closed it: nobody looks at the word any more.
SharedPointer::~SharedPointer() {
    if (lender_ != nullptr && number_ >= 0) lender_->give_back_word(number_);
}

SharedPointer::Invitation SharedPointer::invite(Team& team, const std::string& path) {
    lender_ = &team;
    number_ = team.take_word();
    const Invitation invitation = {number_, base::fresh_token()};
    accept(team, path, invitation);
    return invitation;
}

void SharedPointer::accept(const Team& team, const std::string& path, const Invitation& invitation) {
    if (invitation.word >= 0)
        word_ = &team.word(invitation.word);
    else
        file_path_ = pointer_path(path, invitation.token);
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
