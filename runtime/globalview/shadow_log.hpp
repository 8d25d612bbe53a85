// For programs compiled with --check: what one node alone knows of an array that has a shadow. That is which of its own
// elements it has written where others cannot know of it (under a condition, in a task, in a loop inside a loop), and which
// elements of its shadow it has read. All nodes of the array tell each other their writes before the next directive that moves
// it: then a read is found that saw an older value. Decision checked-shadows. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "kumihimo/generated.h"
#include "runtime/execution/moment.hpp"
#include "runtime/globalview/box.hpp"

namespace kumihimo::globalview {

class ShadowLog {
public:
    using Moment = execution::Moment;

    struct Write {
        const XMP_Site* site;  // of the first one since the nodes told each other
        Moment moment;
        std::vector<Index> element;
    };
    struct Read {
        const XMP_Site* site;
        Moment moment;  // of the last one
        Box elements;
    };
    // A place that reads single elements, which get its stamp.
    struct Reading {
        std::uint32_t stamp;
        const XMP_Site* site;
        Moment moment;
    };

    void written(const XMP_Site* site, const Moment& moment, const std::vector<Index>& element);
    void read(const XMP_Site* site, const Moment& moment, const Box& elements);
    void reading(std::uint32_t stamp, const XMP_Site* site, const Moment& moment);
    // Something else may have filled the shadow: until the nodes have told each other nothing is said of reads.
    void doubt() { in_doubt_ = true; }
    bool in_doubt() const { return in_doubt_; }
    void clear();

    const std::vector<Write>& writes() const { return writes_; }
    // Where the element was read after the write; stamp: that it got last. Null: nowhere.
    const XMP_Site* read_after(const Write& write, const std::vector<Index>& element, std::uint32_t stamp) const;

private:
    struct Hash {
        std::size_t operator()(const std::vector<Index>& element) const;
    };
    std::vector<Write> writes_;
    std::unordered_map<std::vector<Index>, std::size_t, Hash> number_of_;  // of an element's Write
    std::unordered_map<const XMP_Site*, std::vector<Read>> reads_;
    std::vector<Reading> readings_;  // by their stamps
    bool in_doubt_ = false;
};

// What a node tells the others, in bytes.
std::vector<std::byte> pack(const std::vector<ShadowLog::Write>& writes);
// Appends; places get a site of this node's.
void unpack(const std::byte* bytes, std::size_t count, std::vector<ShadowLog::Write>& writes);

}  // namespace kumihimo::globalview
