#include "runtime/execution/context.hpp"

#include <algorithm>
#include <numeric>

#include "kumihimo/localview.h"
#include "runtime/execution/guard.hpp"

XMP_Images XMP_current_images = {0, nullptr};
int XMP_current_image = -1;

namespace kumihimo::execution {

bool started_with_program = false;

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
    return (hash ^ (number + 0x9e3779b9u)) * 1099511628211u;
}

void count_images_in(const NodeSet& set) {
    XMP_current_images = {set.size(), set.world_ranks().data()};
    XMP_current_image = set.my_number();
}

}  // namespace

Context& Context::get() {
    static Context* const context = new Context;  // never destroyed: programs end inside exit handlers
    return *context;
}

void Context::start(MPI_Comm communicator) {
    world_.start(communicator);
    std::vector<int> all(static_cast<std::size_t>(world_.size));
    std::iota(all.begin(), all.end(), 0);
    entire_ = intern(std::move(all));
    started = true;
    stack_.assign(1, Frame{entire_, true});
    count_images_in(*entire_);
}

void Context::stop() {
    started = false;
    XMP_current_images = {0, nullptr};
    XMP_current_image = -1;
    stack_.clear();
    entire_.reset();
    sets_.clear();
    objects_.clear();
    world_.stop();
}

void Context::fail_not_running() noexcept {
    fail(nullptr, not_running());
}

const NodeSet* Context::enclosing(int distance) const {
    const std::size_t last = stack_.size() - 1;
    return stack_[last - std::min(last, static_cast<std::size_t>(std::max(distance, 0)))].set.get();
}

void Context::push(NodeSetPointer set, bool may_communicate) {
    const Frame& around = stack_.back();
    stack_.push_back(Frame{std::move(set), may_communicate && around.may_communicate, around.loop, around.sharing});
    count_images_in(*stack_.back().set);
    now_.levels.clear();
    new_stamp(XMP_stamps.read);
}

void Context::push_iteration(NodeSetPointer set, NodeSetPointer sharing, const XMP_Site* loop) {
    push(std::move(set));
    stack_.back().loop = loop;
    stack_.back().sharing = std::move(sharing);
}

void Context::pop() {
    if (stack_.size() <= 1) throw base::Error("the end of a task that was not entered");
    stack_.pop_back();
    count_images_in(*stack_.back().set);
    now_.levels.clear();
    new_stamp(XMP_stamps.read);
}

void Context::step(const XMP_Site& site) {
    Moment::Level& level = stack_.back().level;
    ++level.step;
    level.trace = mixed(level.trace, static_cast<std::uint64_t>(site.line));
    for (const char* text = site.directive; *text != '\0'; ++text)
        level.trace = mixed(level.trace, static_cast<unsigned char>(*text));
    now_.levels.clear();
    new_stamp(XMP_stamps.read);
}

const Moment& Context::now() const {
    if (now_.levels.empty())
        for (const Frame& frame : stack_) {
            now_.levels.push_back(frame.level);
            std::uint64_t& set = now_.levels.back().set = 0;
            for (const int rank : frame.set->world_ranks()) set = mixed(set, static_cast<std::uint64_t>(rank));
        }
    return now_;
}

NodeSetPointer Context::intern(std::vector<int> world_ranks) const {
    const auto known = sets_.find(world_ranks);
    if (known != sets_.end()) return known->second;
    auto set = std::make_shared<const NodeSet>(world_ranks);
    sets_.emplace(std::move(world_ranks), set);
    return set;
}

const Kind* Context::find_object(const void* object) const {
    const auto found = objects_.find(object);
    return found == objects_.end() ? nullptr : &found->second;
}

bool is_object(const void* descriptor) {
    return Context::get().find_object(descriptor) != nullptr;
}

Kind kind_of(const void* descriptor) {
    const Kind* const kind = Context::get().find_object(descriptor);
    if (kind == nullptr) throw base::Error("the descriptor is not one of a node array, a template or a global array");
    return *kind;
}

}  // namespace kumihimo::execution
