#include "iod/catwalk/completeness.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.hpp"

namespace kumihimo::iod::process {

Status Completeness::begin(const File& file, bool is_new, marks::Listing listing, bool accepts) {
    marker_.lies_beside(marks::place_of(file.descriptor(), file.path(), listing.directory));
    known_ = true;
    return decides_ ? look_at_marks(file.path(), is_new, std::move(listing), accepts) : Status{};
}

// Those of living writers are no obstacle: several openings of a file at a time are MPI's business.
Status Completeness::look_at_marks(const std::string& path, bool is_new, marks::Listing listing, bool accepts) {
    const std::vector<marks::Mark> found = marks::marks_of(marker_.place(), std::move(listing));
    if (is_new) marks::remove_all(marker_.place(), found);  // of a file that is not there any more
    if (is_new) return {};
    std::ranges::copy_if(found, std::back_inserter(accepted_), &marks::Mark::says_incomplete);
    if (accepted_.empty() || accepts) return {};
    const marks::Mark& first = accepted_.front();
    return {Code::incomplete,
            fmt::format("'{}' was left incomplete by a crash ('{}'{} says so): see `kumihimo files recover`", path, first.path,
                        marks::whose(first)),
            ""};
}

Status Completeness::change() {
    Status status = expect();
    if (status.ok()) complete_ = false;
    return status;
}

// The mark of one server tells of the others' part, too: each stays until all of them are done. What has been written since
// needs it again.
Status Completeness::settle() {
    if (!complete_) return {};
    Status status = marker_.clear();
    if (status.ok()) marks::remove_all(marker_.place(), std::exchange(accepted_, {}));
    return status;
}

}  // namespace kumihimo::iod::process
