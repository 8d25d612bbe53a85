// Symbolic values of bytes: an input byte of a rank, or two values combined in this order.
#pragma once

#include <map>
#include <utility>
#include <vector>

namespace kumihimo::collectives::test {

using Term = int;  // 0: not written yet
constexpr Term undefined = 0;
constexpr Term input_limit = 1 << 24;
constexpr int bytes_of_rank = 1 << 14;

// Byte `offset` of what rank `rank` contributes.
constexpr Term input(int rank, long offset) {
    return 1 + rank * bytes_of_rank + static_cast<Term>(offset);
}

class Terms {
public:
    Term combine(Term left, Term right) {
        const auto [place, fresh] = numbers_.try_emplace({left, right}, input_limit + static_cast<Term>(pairs_.size()));
        if (fresh) pairs_.emplace_back(left, right);
        return place->second;
    }
    // The inputs that a value was made of, in order; empty if any was not written.
    std::vector<Term> inputs(Term term) const {
        std::vector<Term> list;
        if (!append(term, list)) list.clear();
        return list;
    }

private:
    bool append(Term term, std::vector<Term>& list) const {
        if (term == undefined) return false;
        if (term < input_limit) return list.push_back(term), true;
        const auto& [left, right] = pairs_[static_cast<std::size_t>(term - input_limit)];
        return append(left, list) && append(right, list);
    }

    std::map<std::pair<Term, Term>, Term> numbers_;
    std::vector<std::pair<Term, Term>> pairs_;
};

}  // namespace kumihimo::collectives::test
