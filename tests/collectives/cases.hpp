// Calls of every operation for the tests, all ranks' of one collective operation together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::test {

// What the calls of all ranks have in common.
struct Setting {
    Operation operation = Operation::barrier;
    Torus torus;
    int root = 0;
    Bytes bytes = 8;  // of the vector or of a block; a v-form's blocks have 0 to that many, not side by side
    Bytes element_bytes = 1;
    bool varying = false, commutative = true, in_place = false;
    Bytes segment_bytes = 4, work_limit = 1 << 20;
    unsigned seed = 1;
    std::vector<int> hosts{};  // of the ranks; none: not known
};

std::string text(const Setting& setting);

class Case {
public:
    explicit Case(const Setting& setting);
    Case(const Case&) = delete;  // calls point into it
    Case& operator=(const Case&) = delete;
    const std::vector<Call>& calls() const { return calls_; }

private:
    // Sizes and offsets of the v-forms: what rank s sends to rank r, as rows and as columns.
    struct Layout {
        std::vector<Bytes> sizes, offsets;
    };
    Blocks blocks(std::vector<Bytes> sizes, Bytes gap);

    std::optional<Placement> placement_;
    void tell_leaders();

    std::vector<std::unique_ptr<Layout>> layouts_;
    std::vector<std::vector<Bytes>> told_;  // to each host's leader
    std::vector<Call> calls_;
};

// Whether the setting is one that the operation can have.
bool possible(const Setting& setting);

// The algorithm on the setting by the strictest rules and by random ones; adds a test failure if anything is wrong. False if
// the algorithm cannot be used for it.
bool prove(const Algorithm& algorithm, const Setting& setting);

}  // namespace kumihimo::collectives::test
