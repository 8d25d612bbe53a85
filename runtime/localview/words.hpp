// Words of coarrays that several images update at a time: by atomic operations, and as locks, which are made of them.
#pragma once

#include <cstdint>

#include "runtime/localview/coarrays.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::localview {

// Throws base::Error for an image that does not exist, an address outside of its block, and a word that is no atomic one.
Place locate_word(const XMP_Coarray* coarray, long long image, const void* mine, std::size_t bytes);
std::int64_t update(const Place& word, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                    std::int64_t compare);  // the value before
std::int64_t update_alone(const Place& word, transport::Atomic operation, std::int64_t operand,
                          std::int64_t compare);  // of 8 bytes in which nobody accumulates: of locks and events

constexpr std::size_t lock_bytes = 8;  // of a lock: 0, or 1 + the number of its holder in the entire set

enum class Locking { done, done_after_failure, not_done, held_here, holder_stopped };
Locking take_lock(const Place& lock, bool wait);  // done_after_failure: from an image that failed

enum class Unlocking { done, not_locked, held_elsewhere };
Unlocking give_lock(const Place& lock);

}  // namespace kumihimo::localview
