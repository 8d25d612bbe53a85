// The shared file pointer of a file that several I/O processes of one machine serve: a word of memory that all of them reach.
// It has a name only while the file is opened.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

class SharedWord {
public:
    // The first makes it, the others find it. What fails is told by the first who uses it: most programs never do.
    SharedWord(const Opening& opening, bool first);
    ~SharedWord();
    SharedWord(const SharedWord&) = delete;
    void drop_name();  // all have it

    Status add(std::int64_t amount, std::int64_t& before);
    Status set(std::int64_t value);

private:
    std::string name_;        // empty: it has none any more, or another's
    base::Descriptor named_;  // open while it has a name
    base::Mapping memory_;
    Status failed_;
};

}  // namespace kumihimo::iod::process
