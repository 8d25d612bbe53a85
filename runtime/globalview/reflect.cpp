// The directives reflect and reduce_shadow (specification 4.5.1, 4.5.8): checks, and which exchange belongs to which array.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/finalize.hpp"
#include "base/format.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/globalview/async.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/globalview/halo_channel.hpp"
#include "runtime/globalview/shadow_checks.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Operation;
using teams::operation_of;
using teams::Team;

namespace {

using execution::Array;
using execution::Context;
using Widths = std::vector<ReflectWidth>;

// Beside the flags of the interface: shadows are added to what they mirror.
constexpr int reduces = 1 << 16;

[[noreturn, gnu::cold]] void refuse_width(const Array& array, int d, const XMP_Width& width) {
    const sets::Shadow& shadow = array.mapping->shadow(d);
    throw base::Error(fmt::format("the width {}:{} of dimension {} exceeds the shadow {}:{} of array {}", width.lower,
                                  width.upper, d + 1, shadow.lower, shadow.upper, array.name),
                      "Declare a wider shadow, or reflect less.");
}

ReflectWidth whole_shadow(const Array& array, int d) {
    const sets::Shadow& shadow = array.mapping->shadow(d);
    return {shadow.full ? 0 : shadow.lower, shadow.full ? 0 : shadow.upper, shadow.full, false};
}

ReflectWidth width_of(const Array& array, int d, const XMP_Width& width) {
    const sets::Shadow& shadow = array.mapping->shadow(d);
    const bool periodic = width.modifier == XMP_WIDTH_PERIODIC;
    if (width.modifier == XMP_WIDTH_FULL) return whole_shadow(array, d);
    if (width.lower < 0 || width.upper < 0)
        throw base::Error(fmt::format("the width {}:{} of dimension {} of array {} is negative", width.lower, width.upper,
                                      d + 1, array.name));
    if (shadow.full) {
        // Every element has its place in the block, so nothing lies beyond the bounds, and periodic adds nothing.
        if (array.mapping->format(d) == sets::Format::cyclic && (width.lower > 0 || width.upper > 0))
            throw base::Error(
                fmt::format("dimension {} of array {} is cyclic: its full shadow has no width", d + 1, array.name),
                "Leave out the width clause.");
        return {width.lower, width.upper, false, false};
    }
    if (width.lower > shadow.lower || width.upper > shadow.upper) refuse_width(array, d, width);
    return {width.lower, width.upper, false, periodic};
}

Widths widths_of(const Array& array, const XMP_Width* widths) {
    Widths result(array.rank);
    for (int d = 0; d < array.rank; ++d) result[d] = widths == nullptr ? whole_shadow(array, d) : width_of(array, d, widths[d]);
    return result;
}

ShadowPlan plan_of(const Array& array, const Widths& widths, int flags) {
    const std::vector<Index>& coordinates = array.nodes().coordinates;
    const bool orthogonal = (flags & XMP_REFLECT_ORTHOGONAL) != 0;
    if ((flags & reduces) != 0) return plan_reduce_shadow(*array.mapping, coordinates, widths, orthogonal);
    return plan_reflect(*array.mapping, coordinates, widths, orthogonal ? Corners::none : Corners::carried);
}

const Operation& sum_of(const Array& array) {
    if (array.type == XMP_TYPE_OTHER)
        throw base::Error(fmt::format("reduce_shadow adds elements, but those of array {} are no numbers", array.name),
                          "Add them in a loop of your own, after a gmove.");
    return operation_of(XMP_SUM, array.type);
}

bool same_request(const XMP_Width& a, const XMP_Width& b) {
    return a.lower == b.lower && a.upper == b.upper && a.modifier == b.modifier;
}

// What memory an array is in, the same on all nodes; null: foreign memory.
std::shared_ptr<const void> memory_of(const Array& array) {
    return array.segment ? array.segment->memory().lock() : nullptr;
}

// A channel and what it was made for. It serves every descriptor of the same memory with the same layout, also later arrays
// that get the memory again: those of procedures that are called many times.
struct Entry {
    std::weak_ptr<const void> memory;
    execution::NodeSetPointer set;
    const void* base;
    sets::ArrayMapping mapping;
    std::size_t element_bytes;
    std::vector<XMP_Width> request;  // empty: the whole shadow
    int flags;
    std::shared_ptr<HaloChannel> channel;

    bool serves(const Array& array, const XMP_Width* widths, int wanted) const {
        if (base != array.base || set != array.set || element_bytes != array.element_bytes || flags != wanted) return false;
        if (array.segment && memory.expired()) return false;
        if (widths == nullptr ? !request.empty()
                              : static_cast<int>(request.size()) != array.rank ||
                                    !std::equal(request.begin(), request.end(), widths, same_request))
            return false;
        return mapping.same_layout(*array.mapping);
    }
};

class Channels {
public:
    // Collective over the array's nodes where a channel must be made. All of them come to the same decision: memory of a
    // segment is the same array everywhere; about foreign memory, whose addresses tell nothing, they agree first.
    const std::shared_ptr<HaloChannel>& of(const Array& array, const XMP_Width* widths, int flags) {
        std::vector<Entry>& entries = table_[memory_of(array).get()];
        const std::shared_ptr<HaloChannel>* found = nullptr;
        for (Entry& entry : entries)
            if (entry.serves(array, widths, flags)) found = &entry.channel;
        if (!array.segment) {
            int everywhere = found != nullptr;
            Team::of(array.set).allreduce(operation_of(XMP_MIN, XMP_TYPE_INT), &everywhere, 1);
            if (!everywhere) found = nullptr;
        }
        return found != nullptr ? *found : make(array, widths, flags);
    }

private:
    const std::shared_ptr<HaloChannel>& make(const Array& array, const XMP_Width* widths, int flags) {
        forget_dead();
        const std::shared_ptr<const void> memory = memory_of(array);
        Entry entry{memory, array.set, array.base, *array.mapping, array.element_bytes, {}, flags, nullptr};
        if (widths != nullptr) entry.request.assign(widths, widths + array.rank);
        const Operation* const add = (flags & reduces) != 0 ? &sum_of(array) : nullptr;  // decision COM-14
        entry.channel = std::make_shared<HaloChannel>(array, plan_of(array, widths_of(array, widths), flags), add);
        std::vector<Entry>& entries = table_[memory.get()];
        std::erase_if(entries, [&](const Entry& old) { return old.serves(array, widths, flags); });
        entries.push_back(std::move(entry));
        return entries.back().channel;
    }

    void forget_dead() {
        for (auto place = table_.begin(); place != table_.end();) {
            if (place->first != nullptr)
                std::erase_if(place->second, [](const Entry& entry) { return entry.memory.expired(); });
            place = place->second.empty() ? table_.erase(place) : std::next(place);
        }
    }

    std::unordered_map<const void*, std::vector<Entry>> table_;
};

Channels& channels();

class Exchange final : public Pending {
public:
    explicit Exchange(std::shared_ptr<HaloChannel> channel) : channel_(std::move(channel)) {}
    bool test() override { return channel_->advance(); }
    void wait() override { channel_->finish(); }

private:
    const std::shared_ptr<HaloChannel> channel_;  // may outlive the array
};

void check(const Array& array) {
    if (!array.allocated())
        throw base::Error("array " + array.name + " is not allocated",
                          "Allocate it, or execute template_fix, before this directive.");
    if (!Context::get().may_communicate())
        throw base::Error("communication inside a task with the nocomm clause", "Remove nocomm from the task.");
    const auto executing = Context::get().executing();
    const auto& set = array.set;
    if (set != executing && !set->subset_of(*executing))
        throw base::Error(fmt::format("array {} lies on {}, some of which do not execute now (the executing set has {})",
                                      array.name, base::counted(set->size(), "node"), base::counted(executing->size(), "node")),
                          "Place the directive where all of its nodes execute.");
}

const std::shared_ptr<HaloChannel>& find_channel(const XMP_Array* descriptor, const XMP_Width* widths, int flags) {
    const Array& array = execution::array_of(descriptor);
    check(array);
    static const std::shared_ptr<HaloChannel> none;
    return array.member() ? channels().of(array, widths, flags) : none;
}

// The checks and the search cost as much as the exchange of a few elements. So the last answers are kept: they hold as long as
// the descriptor has the same mapping and the same nodes execute.
class Memory {
public:
    const std::shared_ptr<HaloChannel>& of(const XMP_Array* descriptor, const XMP_Width* widths, int flags) {
        Answer& answer = answers_[reinterpret_cast<std::uintptr_t>(descriptor) / 64 % answers_.size()];
        if (answer.descriptor == descriptor && answer.holds(widths, flags)) return answer.channel;
        const std::shared_ptr<HaloChannel>& found = find_channel(descriptor, widths, flags);
        const Array& array = execution::array_of(descriptor);
        if (!found || !array.segment) return found;
        answer = {descriptor, array.mapping_number, Context::get().executing_now(), flags, widths != nullptr, array.rank, {},
                  found};
        if (widths != nullptr) std::copy(widths, widths + array.rank, answer.widths.begin());
        return answer.channel;
    }

private:
    struct Answer {
        const XMP_Array* descriptor = nullptr;
        std::uint64_t mapping_number = 0;
        const execution::NodeSet* executing = nullptr;
        int flags = 0;
        bool with_widths = false;
        int rank = 0;
        std::array<XMP_Width, sets::max_rank> widths{};
        std::shared_ptr<HaloChannel> channel;

        bool holds(const XMP_Width* wanted, int wanted_flags) const {
            const Array& array = static_cast<const Array&>(*descriptor);  // it was one, and nobody passes a dead one
            return array.mapping_number == mapping_number && array.allocated() && executing == Context::get().executing_now() &&
                   Context::get().may_communicate() && flags == wanted_flags && with_widths == (wanted != nullptr) &&
                   (!with_widths || std::equal(wanted, wanted + rank, widths.begin(), same_request));
        }
    };
    std::array<Answer, 32> answers_;
};

struct Kept {
    Channels channels;
    Memory memory;
    Kept();
};

Kept& kept() {
    static auto& all = *new Kept;  // MPI may end before static objects do
    return all;
}

Kept::Kept() {
    base::at_finalize([] {
        kept().memory = Memory();
        kept().channels = Channels();
    });
}

Channels& channels() {
    return kept().channels;
}

void note(const Array& array, const XMP_Width* widths, int flags) {
    if ((flags & reduces) != 0)
        note_unknown(array);  // the owners' elements are others now, and so may be those of the shadow
    else
        note_reflect(array, widths_of(array, widths), (flags & XMP_REFLECT_ORTHOGONAL) != 0);
}

void check_exchange(const XMP_Site* site, const XMP_Array* descriptor, const XMP_Width* widths, int flags) {
    const Array& array = execution::array_of(descriptor);
    check(array);
    if (!array.member()) return;
    expect_same(array.set, site, [&] {
        return fmt::format("{} of {}{}{}", (flags & reduces) != 0 ? "reduce_shadow" : "reflect", array.name,
                           width_words(widths, array.rank), (flags & XMP_REFLECT_ORTHOGONAL) != 0 ? " orthogonal" : "");
    });
    compare_logs(array);
}

void exchange(const XMP_Site* site, int count, XMP_Array* const* arrays, const XMP_Width* widths, int flags, const int* async) {
    constexpr int usual = 8;
    if (execution::checking) Context::get().step(*site);
    HaloChannel* few[usual];
    std::vector<HaloChannel*> many(count > usual ? count : 0);
    HaloChannel** const started = count > usual ? many.data() : few;
    int exchanges = 0;
    for (int i = 0; i < count; ++i) {
        if (execution::checking) check_exchange(site, arrays[i], widths, flags);
        const std::shared_ptr<HaloChannel>& channel = kept().memory.of(arrays[i], widths, flags);
        if (!channel) continue;
        channel->start();
        if (execution::checking) note(execution::array_of(arrays[i]), widths, flags);
        started[exchanges++] = channel.get();
        if (async != nullptr) begin(*async, execution::array_of(arrays[i]).set, std::make_unique<Exchange>(channel));
    }
    if (async != nullptr) return;
    for (int i = 0; i < exchanges; ++i) started[i]->finish();
}

}  // namespace
}  // namespace kumihimo::globalview

using namespace kumihimo;

void XMP_Reflect(const XMP_Site* site, int count, XMP_Array* const* arrays, const XMP_Width* widths, int flags,
                 const int* async) {
    execution::guarded(site, [&] { globalview::exchange(site, count, arrays, widths, flags, async); });
}

void XMP_Reduce_shadow(const XMP_Site* site, int count, XMP_Array* const* arrays, const XMP_Width* widths, int flags,
                       const int* async) {
    execution::guarded(site, [&] { globalview::exchange(site, count, arrays, widths, flags | globalview::reduces, async); });
}
