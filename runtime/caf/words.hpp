// Atomic variables, locks and events on images.
#pragma once

#include "runtime/caf/token.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/words.hpp"

namespace kumihimo::caf {

// image: in the current team; 0: this one. offset: in bytes.
inline localview::Place word_of(const Token& token, std::size_t offset, int image, std::size_t bytes) {
    const int number = image == 0 ? execution::Context::get().executing_now()->my_number() : image - 1;
    return localview::locate_word(token.coarray, number, static_cast<const char*>(token.coarray->base) + offset, bytes);
}

inline bool failed(const localview::Place& word) {
    return localview::failure_of(word.node) != localview::Failure::none;
}

}  // namespace kumihimo::caf
