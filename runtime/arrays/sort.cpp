// xmp_sort_up and xmp_sort_down: parallel sorting by regular sampling (Shi and Schaeffer 1992). Equal keys are told apart by
// where they come from, so that no node gets more than its share, however many of them there are. What is sorted are keys
// (sort_keys.hpp): one algorithm for each size of numbers serves all types and both directions.
// Few elements: the calls would take longer than the work, so every node gets the sorted parts of all and merges them.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/exchange.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/sort_keys.hpp"
#include "runtime/arrays/work.hpp"
#include "runtime/elements/element_type.hpp"

namespace kumihimo::arrays {

namespace {

using execution::Context;

constexpr std::size_t few_bytes = std::size_t{1} << 15;
constexpr Index least_samples = 64;  // of each node: a node then gets at most 1/64 of one node's elements too many

template <typename Key>
class SampleSort {
public:
    SampleSort(Team& team, Key* keys, Index count) : team_(team), keys_(keys), count_(count) {}

    // Replaces the memory of the keys: this node's part of the sorted sequence, part_sizes() tells those of all.
    Memory run(Memory memory) {
        sort_mine();
        if (team_.size() == 1) {
            sizes_ = {count_};
            return memory;
        }
        const Exchange exchange(team_, shares());
        Memory received = take_memory(static_cast<std::size_t>(exchange.received()) * sizeof(Key));
        exchange.forward(keys_, received.get(), sizeof(Key));
        sizes_ = gather_all(team_, std::vector<Index>{exchange.received()});
        return merged(std::move(received), exchange.incoming());
    }
    const std::vector<Index>& sizes() const { return sizes_; }

    // The whole sorted sequence, on every node. counts: how many elements each has.
    Memory everything(const std::vector<Index>& counts) {
        sort_mine();
        const auto longest = static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
        std::vector<Key> mine(keys_, keys_ + count_);
        mine.resize(longest);
        Memory memory = take_memory(counts.size() * longest * sizeof(Key));
        Key* const all = reinterpret_cast<Key*>(memory.get());
        team_.gather(mine.data(), longest * sizeof(Key), all);
        Key* end = all;
        for (std::size_t member = 0; member < counts.size(); ++member) {  // closes the gaps behind shorter parts
            std::memmove(end, all + member * longest, static_cast<std::size_t>(counts[member]) * sizeof(Key));
            end += counts[member];
        }
        return merged(std::move(memory), counts);
    }

private:
    struct Sample {
        Key key;
        int node;  // -1: none
        Index place;
    };

    static bool before(const Sample& a, const Sample& b) {
        return std::tie(a.key, a.node, a.place) < std::tie(b.key, b.node, b.place);
    }

    void sort_mine() { std::sort(keys_, keys_ + count_); }

    // Elements of this node that stand at equal distances.
    std::vector<Sample> samples() const {
        const Index wanted = std::max<Index>(team_.size(), least_samples);
        std::vector<Sample> list(static_cast<std::size_t>(wanted), Sample{Key(), -1, 0});
        const Index taken = std::min(wanted, count_);
        for (Index k = 0; k < taken; ++k) {
            const Index place = k * count_ / taken;
            list[static_cast<std::size_t>(k)] = {keys_[place], team_.my_number(), place};
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
        Key* const end = keys_ + count_;
        if (splitter.node == team_.my_number()) return splitter.place;
        return (splitter.node > team_.my_number() ? std::upper_bound(keys_, end, splitter.key)
                                                  : std::lower_bound(keys_, end, splitter.key)) -
               keys_;
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
        Memory other = take_memory(static_cast<std::size_t>(ends.back()) * sizeof(Key));
        while (ends.size() > 1) {
            const Key* const from = reinterpret_cast<const Key*>(memory.get());
            Key* const to = reinterpret_cast<Key*>(other.get());
            std::vector<Index> longer;
            Index begin = 0;
            for (std::size_t k = 0; k < ends.size(); k += 2) {
                const Index middle = ends[k], end = k + 1 < ends.size() ? ends[k + 1] : middle;
                std::merge(from + begin, from + middle, from + middle, from + end, to + begin);
                longer.push_back(begin = end);
            }
            std::swap(memory, other);
            ends = std::move(longer);
        }
        return memory;
    }

    Team& team_;
    Key* keys_;
    Index count_;
    std::vector<Index> sizes_;
};

// This node's elements of a vector of which no two nodes hold the same ones; false: they do not lie one after the other.
template <typename Key>
bool own_elements(const Operand& from, std::vector<Key>& own) {
    const execution::Array& array = *from.array();
    const sets::Shadow& shadow = array.mapping->shadow(0);
    if (shadow.full) return false;
    if (!array.member()) return true;
    own.resize(static_cast<std::size_t>(array.mapping->owned(0, array.coordinate(0)).size()));
    if (own.empty()) return true;
    const auto* const base = static_cast<const std::byte*>(array.base);
    std::memcpy(own.data(), base + static_cast<std::size_t>(shadow.lower) * sizeof(Key), own.size() * sizeof(Key));
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
template <typename Key>
bool sort_few(const Operand& to, const Operand& from, const KeysOf<Key>& as) {
    const Index extent = from.extent(0);
    std::vector<Key> own;
    if (static_cast<std::size_t>(extent) * sizeof(Key) > few_bytes || !Layout::lies_alone(from) || !own_elements(from, own))
        return false;
    as.encode(own.data(), static_cast<Index>(own.size()));
    const execution::NodeSetPointer executing = Context::get().executing();
    SampleSort<Key> sorter(Team::of(executing), own.data(), static_cast<Index>(own.size()));
    const Memory sorted = sorter.everything(counts_on(*executing, *from.array()));
    as.decode(reinterpret_cast<Key*>(sorted.get()), extent);
    const Index stride = sizeof(Key);
    XMP_Side all{};
    all.text = "the sorted sequence";
    all.address = sorted.get();
    all.type = from.type(), all.element_bytes = sizeof(Key);
    all.rank = 1;
    all.extents = &extent, all.strides = &stride;
    assign(to.whole(), Part::whole(all));
    return true;
}

template <typename Key>
void sort_as(const Operand& to, const Operand& from, const KeysOf<Key>& as) {
    if (sort_few(to, from, as)) return;
    const Index extent = from.extent(0);
    WorkArray mine(Layout::pieces(1, 0, equal_pieces(extent)), element_of(from), sets::Order::row_major, {extent});
    assign(mine.whole(), from.whole());
    Key* const keys = mine.template data_as<Key>();
    as.encode(keys, mine.local_elements());
    Team& team = Team::of(Context::get().executing());
    SampleSort<Key> sorter(team, keys, mine.local_elements());
    Memory sorted = sorter.run(mine.release());
    as.decode(reinterpret_cast<Key*>(sorted.get()), sorter.sizes()[static_cast<std::size_t>(team.my_number())]);
    const WorkArray result(Layout::pieces(1, 0, sorter.sizes()), element_of(to), extent, std::move(sorted));
    assign(to.whole(), result.whole());
}

}  // namespace

void sort(const Operand& to, const Operand& from, bool descending) {
    check_rank(to, 1), check_rank(from, 1);
    check_same_type(to, from);
    check_same_shape(to, from);
    const bool done = elements::with_type(from.type(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_same_v<T, bool> || elements::is_complex<T>) {
            return false;
        } else {
            sort_as(to, from, keys_of<T>(descending));
            return true;
        }
    });
    if (!done)
        throw base::Error(fmt::format("{} has elements of type {}, which have no order", from.text(), type_text(from)),
                          "Integers and real numbers can be sorted.");
}

}  // namespace kumihimo::arrays
