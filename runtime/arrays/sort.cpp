// xmp_sort_up and xmp_sort_down: parallel sorting by regular sampling (Shi and Schaeffer 1992). Equal keys are told apart by
// where they come from, so that no node gets more than its share, however many of them there are. NaN comes last.
// Few elements: the calls would take longer than the work, so every node gets the sorted parts of all and merges them.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/exchange.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/work.hpp"
#include "runtime/globalview/element_type.hpp"

namespace kumihimo::arrays {

namespace {

using execution::Context;

constexpr std::size_t few_bytes = std::size_t{1} << 15;
constexpr Index least_samples = 64;  // of each node: a node then gets at most 1/64 of one node's elements too many

template <typename T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value != value;
    else
        return false;
}

template <typename T, bool descending>
struct Precedes {
    bool operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>)
            if (is_nan(a) || is_nan(b)) return !is_nan(a);
        return descending ? b < a : a < b;
    }
};

template <typename T, bool descending>
class SampleSort {
public:
    SampleSort(Team& team, T* values, Index count) : team_(team), values_(values), count_(count) {}

    // Replaces the memory of the values: this node's part of the sorted sequence, part_sizes() tells those of all.
    Memory run(Memory memory) {
        sort_mine();
        if (team_.size() == 1) {
            sizes_ = {count_};
            return memory;
        }
        const Exchange exchange(team_, shares());
        Memory received = take_memory(static_cast<std::size_t>(exchange.received()) * sizeof(T));
        exchange.forward(values_, received.get(), sizeof(T));
        sizes_ = gather_all(team_, std::vector<Index>{exchange.received()});
        return merged(std::move(received), exchange.incoming());
    }
    const std::vector<Index>& sizes() const { return sizes_; }

    // The whole sorted sequence, on every node. counts: how many elements each has.
    Memory everything(const std::vector<Index>& counts) {
        sort_mine();
        const auto longest = static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
        std::vector<T> mine(values_, values_ + count_);
        mine.resize(longest);
        Memory memory = take_memory(counts.size() * longest * sizeof(T));
        T* const all = reinterpret_cast<T*>(memory.get());
        team_.gather(mine.data(), longest * sizeof(T), all);
        T* end = all;
        for (std::size_t member = 0; member < counts.size(); ++member) {  // closes the gaps behind shorter parts
            std::memmove(end, all + member * longest, static_cast<std::size_t>(counts[member]) * sizeof(T));
            end += counts[member];
        }
        return merged(std::move(memory), counts);
    }

private:
    struct Sample {
        T value;
        int node;  // -1: none
        Index place;
    };

    static bool precedes(T a, T b) { return Precedes<T, descending>()(a, b); }
    static bool before(const Sample& a, const Sample& b) {
        if (precedes(a.value, b.value)) return true;
        if (precedes(b.value, a.value)) return false;
        return a.node != b.node ? a.node < b.node : a.place < b.place;
    }

    void sort_mine() {
        T* const numbers_end = std::partition(values_, values_ + count_, [](T value) { return !is_nan(value); });
        if constexpr (descending)
            std::sort(values_, numbers_end, [](T a, T b) { return b < a; });
        else
            std::sort(values_, numbers_end);
    }

    // Elements of this node that stand at equal distances.
    std::vector<Sample> samples() const {
        const Index wanted = std::max<Index>(team_.size(), least_samples);
        std::vector<Sample> list(static_cast<std::size_t>(wanted), Sample{T(), -1, 0});
        const Index taken = std::min(wanted, count_);
        for (Index k = 0; k < taken; ++k) {
            const Index place = k * count_ / taken;
            list[static_cast<std::size_t>(k)] = {values_[place], team_.my_number(), place};
        }
        return list;
    }

    // The first element of each node but the first, as the samples of all nodes let expect.
    std::vector<Sample> splitters() const {
        std::vector<Sample> all = gather_all(team_, samples());
        std::erase_if(all, [](const Sample& sample) { return sample.node < 0; });
        std::sort(all.begin(), all.end(), before);
        std::vector<Sample> chosen;
        const std::size_t nodes = static_cast<std::size_t>(team_.size());
        for (std::size_t node = 1; node < nodes && !all.empty(); ++node) chosen.push_back(all[node * all.size() / nodes]);
        return chosen;
    }

    // How many of my elements come before it.
    Index before_splitter(const Sample& splitter) const {
        T* const end = values_ + count_;
        if (splitter.node == team_.my_number()) return splitter.place;
        return (splitter.node > team_.my_number() ? std::upper_bound(values_, end, splitter.value, precedes)
                                                  : std::lower_bound(values_, end, splitter.value, precedes)) -
               values_;
    }

    // How many of my elements go to each node.
    std::vector<Index> shares() const {
        std::vector<Index> list(static_cast<std::size_t>(team_.size()), 0);
        Index done = 0;
        std::size_t node = 0;
        for (const Sample& splitter : splitters()) {
            const Index end = before_splitter(splitter);
            list[node++] = end - done;
            done = end;
        }
        list[node] = count_ - done;
        return list;
    }

    // Sorted runs, one after the other, become one: neighbours are merged until one is left.
    Memory merged(Memory memory, const std::vector<Index>& runs) const {
        std::vector<Index> ends(runs.size());
        std::partial_sum(runs.begin(), runs.end(), ends.begin());
        Memory other = take_memory(static_cast<std::size_t>(ends.back()) * sizeof(T));
        while (ends.size() > 1) {
            const T* const from = reinterpret_cast<const T*>(memory.get());
            T* const to = reinterpret_cast<T*>(other.get());
            std::vector<Index> longer;
            Index begin = 0;
            for (std::size_t k = 0; k < ends.size(); k += 2) {
                const Index middle = ends[k], end = k + 1 < ends.size() ? ends[k + 1] : middle;
                std::merge(from + begin, from + middle, from + middle, from + end, to + begin, precedes);
                longer.push_back(begin = end);
            }
            std::swap(memory, other);
            ends = std::move(longer);
        }
        return memory;
    }

    Team& team_;
    T* values_;
    Index count_;
    std::vector<Index> sizes_;
};

// This node's elements of a vector of which no two nodes hold the same ones; false: they do not lie one after the other.
template <typename T>
bool own_elements(const Operand& from, std::vector<T>& own) {
    const execution::Array& array = *from.array();
    const sets::Shadow& shadow = array.mapping->shadow(0);
    if (shadow.full) return false;
    if (!array.member()) return true;
    const T* const first = static_cast<const T*>(array.base) + shadow.lower;
    own.assign(first, first + array.mapping->owned(0, array.coordinate(0)).size());
    return true;
}

// How many elements of a vector each executing node has, of which no two have the same ones.
std::vector<Index> counts_on(const execution::NodeSet& executing, const execution::Array& array) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const int along = mapping.node_dimension(0);
    std::vector<Index> counts;
    for (const int rank : executing.world_ranks()) {
        const int number = array.set->number_of(rank);
        const Index coordinate = number < 0 || along < 0 ? 0 : mapping.target().grid().coordinates(number)[along];
        counts.push_back(number < 0 ? 0 : mapping.owned(0, coordinate).size());
    }
    return counts;
}

// Whether it was done.
template <typename T, bool descending>
bool sort_few(const Operand& to, const Operand& from) {
    const Index extent = from.extent(0);
    std::vector<T> own;
    if (static_cast<std::size_t>(extent) * sizeof(T) > few_bytes || !Layout::lies_alone(from) || !own_elements(from, own))
        return false;
    const execution::NodeSetPointer executing = Context::get().executing();
    SampleSort<T, descending> sorter(Team::of(executing), own.data(), static_cast<Index>(own.size()));
    const Memory sorted = sorter.everything(counts_on(*executing, *from.array()));
    const Index stride = sizeof(T);
    XMP_Side all{};
    all.text = "the sorted sequence";
    all.address = sorted.get();
    all.type = from.type(), all.element_bytes = sizeof(T);
    all.rank = 1;
    all.extents = &extent, all.strides = &stride;
    assign(to.whole(), Part::whole(all));
    return true;
}

template <typename T, bool descending>
void sort_as(const Operand& to, const Operand& from) {
    if (sort_few<T, descending>(to, from)) return;
    const Index extent = from.extent(0);
    WorkArray mine(Layout::pieces(1, 0, equal_pieces(extent)), element_of(from), sets::Order::row_major, {extent});
    assign(mine.whole(), from.whole());
    SampleSort<T, descending> sorter(Team::of(Context::get().executing()), mine.template data_as<T>(), mine.local_elements());
    Memory sorted = sorter.run(mine.release());
    const WorkArray result(Layout::pieces(1, 0, sorter.sizes()), element_of(to), extent, std::move(sorted));
    assign(to.whole(), result.whole());
}

}  // namespace

void sort(const Operand& to, const Operand& from, bool descending) {
    check_rank(to, 1), check_rank(from, 1);
    check_same_type(to, from);
    check_same_shape(to, from);
    const bool done = globalview::with_type(from.type(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_same_v<T, bool> || globalview::is_complex<T>) {
            return false;
        } else {
            descending ? sort_as<T, true>(to, from) : sort_as<T, false>(to, from);
            return true;
        }
    });
    if (!done)
        throw base::Error(fmt::format("{} has elements of type {}, which have no order", from.text(), type_text(from)),
                          "Integers and real numbers can be sorted.");
}

}  // namespace kumihimo::arrays
