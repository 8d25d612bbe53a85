// Image control (specification 5.7.3): which images it means, and what happens when one of them has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/localview/failures.hpp"

namespace kumihimo::localview {

// The set that the next image control counts in: of an image directive before it (used up by this), else the executing set.
execution::NodeSetPointer take_image_set();

// Both complete this image's puts first.
Absence sync_all(const execution::NodeSet& set);
Absence sync_images(const std::vector<int>& nodes);  // numbers in the entire set

// An operation that all members do together, by means that know no failures, with a barrier behind it: so all get the same
// status. The operation asks whether it must be left, since a member will never come, and says whether it was completed. If
// that `shows_all` have come, as a result does that all have a part in, there is no barrier where no process dies.
using Hopeless = std::function<bool()>;
Absence all_together(const execution::NodeSet& set, const std::function<bool(const Hopeless&)>& operation, bool shows_all);

// A number of each member, which all of them call; nullopt of one that is missing: the same for all that are not.
std::vector<std::optional<std::int64_t>> exchange(const execution::NodeSet& set, std::int64_t mine);

struct DuplicateImage : base::Error {
    using base::Error::Error;
};

// To the entire set's numbers; the images of the set are numbered from `first`. Throws base::Error for an image that does not
// exist, DuplicateImage for one that stands there twice.
std::vector<int> nodes_of_images(const execution::NodeSet& set, const int* images, int count, int first = 0);

void sync_memory();  // orders this image's puts; a program may wait in a loop over it

// The same where nothing else is to be done: all images share memory, and the last look after others was not long ago.
extern int fences_left;  // how often that may be
inline bool sync_memory_by_fence() {
    if (fences_left <= 0) return false;
    --fences_left;
    std::atomic_thread_fence(std::memory_order_acq_rel);
    return true;
}

void reset_image_control();  // when a program begins, and after its end

}  // namespace kumihimo::localview
