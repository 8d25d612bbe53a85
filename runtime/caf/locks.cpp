// Locks (Fortran 2018, 11.6.10) and critical constructs (11.1.6), each of which has a lock on image 1.
#include "base/error.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/caf/words.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

namespace {

using localview::Locking;
using localview::Unlocking;

constexpr const char* advice = "Give a stat= variable to handle this in the program.";

localview::Place lock_of(const Token& token, std::size_t index, int image) {
    return word_of(token, index * localview::lock_bytes, image, localview::lock_bytes);
}

// A critical construct outlives the image that has its lock.
bool lost(const Token& token, const localview::Place& lock) {
    return token.registration != Registration::critical && failed(lock);
}

void lock(const Token& token, std::size_t index, int image, int* acquired, const Outcome& outcome) {
    const localview::Place lock = lock_of(token, index, image);
    if (lost(token, lock)) return report(outcome, localview::Absence::failed);
    const Locking locking = localview::take_lock(lock, acquired == nullptr);
    if (acquired != nullptr) *acquired = locking == Locking::done || locking == Locking::done_after_failure;
    switch (locking) {
        case Locking::done:
        case Locking::not_done:
            return outcome.success();
        case Locking::done_after_failure:
            localview::note_failures_told();
            return outcome.report(stat_unlocked_failed_image, base::Error("the image that had locked this has failed", advice));
        case Locking::held_here:
            return outcome.report(stat_locked, base::Error("this image has locked this already", advice));
        case Locking::holder_stopped:
            return outcome.report(stat_stopped_image, base::Error("the image that has locked this has stopped", advice));
    }
}

void unlock(const Token& token, std::size_t index, int image, const Outcome& outcome) {
    const localview::Place lock = lock_of(token, index, image);
    if (lost(token, lock)) return report(outcome, localview::Absence::failed);
    switch (localview::give_lock(lock)) {
        case Unlocking::done:
            return outcome.success();
        case Unlocking::not_locked:
            return outcome.report(stat_unlocked, base::Error("the lock is not locked", advice));
        case Unlocking::held_elsewhere:
            return outcome.report(stat_locked_other_image, base::Error("another image has locked this", advice));
    }
}

const XMP_Site& site_of(const Token& token, bool begins) {
    static const XMP_Site sites[2][2] = {{{nullptr, 0, "unlock"}, {nullptr, 0, "lock"}},
                                         {{nullptr, 0, "end critical"}, {nullptr, 0, "critical"}}};
    return sites[token.registration == Registration::critical][begins];
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_lock(const Token* token, std::size_t index, int image, int* acquired, int* stat, char* message,
                                   std::size_t length) {
    execution::guarded(&site_of(*token, true), [&] {
        const Outcome outcome{stat, message, length};
        outcome.of([&] { lock(*token, index, image, acquired, outcome); });
    });
}

extern "C" void _gfortran_caf_unlock(const Token* token, std::size_t index, int image, int* stat, char* message,
                                     std::size_t length) {
    execution::guarded(&site_of(*token, false), [&] {
        const Outcome outcome{stat, message, length};
        outcome.of([&] { unlock(*token, index, image, outcome); });
    });
}
