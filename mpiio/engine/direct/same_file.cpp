#include "mpiio/engine/direct/same_file.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

namespace {

std::mutex mutex;

}  // namespace

std::shared_ptr<SameFile::Group> SameFile::group_of(State& state) {
    static auto* const groups = new std::map<FileIdentity, std::weak_ptr<Group>>;  // files are closed until the end
    std::erase_if(*groups, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Group>& known = (*groups)[state.file.identity()];
    std::shared_ptr<Group> group = known.lock();
    if (!group) known = group = std::make_shared<Group>();
    return group;
}

void SameFile::enter(State& state, void (*flush)(State& other)) {
    const std::lock_guard lock(mutex);
    group_ = group_of(state);
    state_ = &state;
    for (State* other : group_->states) flush(*other);
    group_->states.push_back(state_);
    group_->handles += 1;
}

void SameFile::leave() {
    if (!group_) return;
    const std::lock_guard lock(mutex);
    std::erase(group_->states, state_);
    group_->handles -= 1;
    group_.reset();
}

}  // namespace kumihimo::mpiio::direct
