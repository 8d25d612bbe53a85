// Checkpoints: arrays in one flat file that any number of nodes reads again in any layout. A checkpoint is there once the file
// has its name, which it gets last, with all of it and its description (description.hpp) on the storage device: so a crash at
// any moment leaves the one before it.
#pragma once

#include <span>
#include <string>

#include "runtime/xmpio/agreement.hpp"
#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpio {

// What is saved or restored: arrays, and memory of `bytes` bytes that all nodes have alike.
struct State {
    std::span<const xmp_desc_t> arrays;
    void* values = nullptr;
    Index bytes = 0;
};

// All are collective over the executing set, with the same failure on all of its nodes. The files are name.1, name.2, ...
std::optional<Failure> save(const std::string& name, const State& state, Index& number);
// Of the latest, or of the file of this name where there is one. number: of the file, 0 if it has none.
std::optional<Failure> restore(const std::string& name, const State& state, Index& number);
// The number of the newest complete one; 0: there is none.
std::optional<Failure> latest(const std::string& name, Index& number);

}  // namespace kumihimo::xmpio
