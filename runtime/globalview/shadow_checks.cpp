#include "runtime/globalview/shadow_checks.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Team;

namespace {

using execution::Array;
using sets::IndexSet;
using sets::Range;

bool has_shadow(const Array& array) {
    return std::any_of(array.shadow.begin(), array.shadow.end(),
                       [](const sets::Shadow& shadow) { return shadow.full || shadow.lower > 0 || shadow.upper > 0; });
}

// ---- which elements the iterations of a loop mean ----

Range iterations(const XMP_Subscripts& subscripts) {
    return Range::triplet(subscripts.first, subscripts.last, subscripts.step);
}

// The iterations of this node.
IndexSet own_iterations(const XMP_Subscripts& subscripts) {
    const Range all = iterations(subscripts);
    if (subscripts.object == nullptr || all.empty()) return IndexSet::of(all);
    const Range places = all.shifted(subscripts.offset);
    const int d = subscripts.dimension;
    if (subscripts.on_nodes != 0) {
        const auto& nodes = *static_cast<const XMP_Nodes*>(subscripts.object);
        if (!nodes.member()) return {};
        const Index here = nodes.coordinates[d];
        return places.contains(here) ? IndexSet::interval(here - subscripts.offset, here - subscripts.offset) : IndexSet();
    }
    const auto& target = *static_cast<const XMP_Template*>(subscripts.object);
    if (!target.nodes->member()) return {};
    const int along = target.mapping->node_dimension(d);
    return target.mapping->dimension(d)
        .owned(along < 0 ? 0 : target.nodes->coordinates[along], places)
        .shifted(-subscripts.offset);
}

// The same where expand makes them more or fewer, at both ends of what is one run then.
IndexSet widened(const XMP_Subscripts& subscripts) {
    const IndexSet own = own_iterations(subscripts);
    if (own.empty() || (subscripts.lower == 0 && subscripts.upper == 0)) return own;
    const bool forward = subscripts.step > 0;
    Index first = own.lowest() - (forward ? subscripts.lower : subscripts.upper);
    Index last = own.highest() + (forward ? subscripts.upper : subscripts.lower);
    if (subscripts.unbound == 0) {
        const IndexSet all = IndexSet::of(iterations(subscripts));
        first = std::max(first, all.lowest());
        last = std::min(last, all.highest());
    }
    return IndexSet::interval(first, last);
}

template <typename Iterations>
Box elements(const Array& array, const XMP_Subscripts* subscripts, const Iterations& iterations_of) {
    Box box;
    for (int d = 0; d < array.rank; ++d) box.push_back(iterations_of(subscripts[d]).shifted(subscripts[d].shift));
    return box;
}

// ---- the checks ----

IndexSet stored(const Array& array, int d) {
    const XMP_Dimension& dimension = array.dimension[d];
    if (dimension.block == 0) return IndexSet::interval(dimension.origin, dimension.origin + dimension.length - 1);
    return array.mapping->owned(d, array.coordinate(d));
}

// The first element of the box, in the order of the loop, whose index along d is not in the set.
std::vector<XMP_Index> first_outside(const Box& box, const XMP_Subscripts* subscripts, int d, const IndexSet& set) {
    std::vector<XMP_Index> element;
    for (int k = 0; k < static_cast<int>(box.size()); ++k) {
        const bool forward = subscripts[k].step > 0;
        Index index = forward ? box[k].lowest() : box[k].highest();
        if (k == d)
            while (!box[k].contains(index) || set.contains(index)) index += forward ? 1 : -1;
        element.push_back(index);
    }
    return element;
}

// Throws for an element that this node does not store.
void check_stored(const Array& array, const Box& box, const XMP_Subscripts* subscripts) {
    for (int d = 0; d < array.rank; ++d) {
        const IndexSet here = stored(array, d);
        if (box[d].intersect(here).size() < box[d].size())
            execution::stored_element(array, first_outside(box, subscripts, d, here).data());
    }
}

[[noreturn]] void refuse_write(const Array& array, const XMP_Index* element) {
    throw base::Error(
        fmt::format("{} is written here, but another node owns it: this is its copy in the shadow",
                    execution::element_text(array, element)),
        "Let the owner write it: loop on the template that the array is aligned with; or write the shadow by expand.");
}

void check_owned(const Array& array, const Box& box, const XMP_Subscripts* subscripts) {
    for (int d = 0; d < array.rank; ++d) {
        const IndexSet owned = array.mapping->owned(d, array.coordinate(d));
        if (box[d].intersect(owned).size() < box[d].size())
            refuse_write(array, first_outside(box, subscripts, d, owned).data());
    }
}

[[noreturn]] void refuse_read(const Array& array, const ShadowAccount::Finding& finding) {
    const std::string element = execution::element_text(array, finding.element.data());
    if (finding.written == nullptr)
        throw base::Error(fmt::format("{} lies beyond the end of {}, and no reflect has filled it", element, array.name),
                          "Shorten the loop, or reflect with a periodic width.");
    throw base::Error(fmt::format("{} is read here from the shadow, but its owner has written it since the last reflect:\n"
                                  "    written at {}:{}: {}",
                                  element, finding.written->file, finding.written->line, finding.written->directive),
                      fmt::format("Reflect it in between: #pragma xmp reflect ({})", array.name));
}

void check_fresh(const Array& array, const Box& box) {
    const ShadowAccount* const account = shadow_account(array);
    if (account == nullptr) return;
    if (const auto finding = account->outdated(box)) refuse_read(array, *finding);
}

// From now on reads are noted again.
void new_epoch() {
    execution::new_stamp(XMP_stamps.read);
}

const execution::Moment& now() {
    return execution::Context::get().now();
}

// Whether all nodes of the array execute now.
bool all_execute(const Array& array) {
    const auto& executing = *execution::Context::get().executing_now();
    return array.set.get() == &executing || array.set->subset_of(executing);
}

void note_read(const XMP_Site* site, const Array& array, const Box& box) {
    if (ShadowAccount* const account = shadow_account(array))
        for (std::size_t d = 0; d < box.size(); ++d)
            if (!account->owns_all(static_cast<int>(d), box[d])) return account->log.read(site, now(), box);
}

void check_own(const XMP_Site* site, const Array& array, int accesses, const XMP_Subscripts* subscripts) {
    const Box here = elements(array, subscripts, widened);
    if (empty(here)) return;
    check_stored(array, here, subscripts);
    if ((accesses & XMP_READS) != 0) {
        check_fresh(array, here);
        note_read(site, array, here);
    }
    if ((accesses & XMP_WRITES) != 0) check_owned(array, here, subscripts);
}

void check_loop(const XMP_Site* site, const Array& array, int accesses, const XMP_Subscripts* subscripts) {
    if (!array.allocated()) return;  // the access itself says so, where there is one
    if (array.member() && (accesses & (XMP_STORES | XMP_READS | XMP_WRITES)) != 0) check_own(site, array, accesses, subscripts);
    ShadowAccount* const account = shadow_account(array);
    if (account == nullptr) return;
    if ((accesses & (XMP_WRITTEN | XMP_WRITTEN_HERE | XMP_FILLED)) != 0) new_epoch();
    const bool known = (accesses & XMP_WRITTEN) != 0 && all_execute(array);
    if (known)
        account->written(site,
                         elements(array, subscripts, [](const XMP_Subscripts& s) { return IndexSet::of(iterations(s)); }));
    else if ((accesses & (XMP_WRITTEN | XMP_WRITTEN_HERE)) != 0)
        account->for_each_mirrored(elements(array, subscripts, widened),
                                   [&](const std::vector<Index>& element) { account->log.written(site, now(), element); });
    if ((accesses & XMP_FILLED) != 0) account->filled_here(elements(array, subscripts, widened));
}

// One element: its indices as a box.
Box box_of(const Array& array, const XMP_Index* indices) {
    Box box;
    for (int d = 0; d < array.rank; ++d) box.push_back(IndexSet::interval(indices[d], indices[d]));
    return box;
}

bool owned(const Array& array, const ShadowAccount* account, const XMP_Index* indices) {
    for (int d = 0; account != nullptr && d < array.rank; ++d)
        if (!account->owns(d, indices[d])) return false;
    return true;
}

// Of an element that this node owns.
void note_write(const XMP_Site* site, const Array& array, ShadowAccount* account, const XMP_Index* indices) {
    if (account != nullptr && account->mirrored(indices))
        account->log.written(site, now(), std::vector<Index>(indices, indices + array.rank));
}

// The stamp of an element, by its address; null: no memory for it.
std::uint32_t* stamp_of(const Array& array, ShadowAccount& account, const void* address) {
    std::uint32_t* const stamps = account.stamps.of_all(array.allocated_bytes() / array.element_bytes);
    const auto bytes = static_cast<const std::byte*>(address) - static_cast<const std::byte*>(array.base);
    return stamps == nullptr ? nullptr : &stamps[static_cast<std::size_t>(bytes) / array.element_bytes];
}

// The element needs no call until there is another stamp.
void mark(const Array& array, ShadowAccount* account, const void* address, std::uint32_t stamp) {
    if (account == nullptr || array.answers == nullptr) return;
    std::uint32_t* const noted = stamp_of(array, *account, address);
    if (noted == nullptr) return;
    array.answers->noted = account->stamps.of_all(0);
    if (*noted != XMP_stamps.written) *noted = stamp;  // that one serves reads, too
}

// What a place notes from now on, in the present step; where nothing in the shadow is old, without a call.
void begin_reading(XMP_Place& place, const Array& array, ShadowAccount& account) {
    if (place.array == &array && place.step == XMP_stamps.read) return;
    place.array = &array;
    place.step = XMP_stamps.read;
    execution::new_stamp(place.stamp);
    place.fresh = account.all_fresh() ? place.step : 0;
    account.log.reading(place.stamp, &place.site, now());
}

// The elements that a side of a gmove names.
Box elements(const Array& array, const XMP_Side& side) {
    Box box;
    for (int d = 0; d < array.rank; ++d) {
        const XMP_Triplet& triplet = side.subscripts[d];
        const Index lower = (*array.bounds)[d].lower, upper = (*array.bounds)[d].upper;
        const Index first = triplet.first == XMP_OPEN ? lower : triplet.first;
        const bool open = triplet.section != 0 && triplet.length == XMP_OPEN;
        const Index length = triplet.section == 0 ? 1 : triplet.length;
        box.push_back(IndexSet::of(open ? Range::triplet(first, triplet.step > 0 ? upper : lower, triplet.step)
                                        : Range{first, length, triplet.step}));
    }
    return box;
}

}  // namespace

ShadowAccount* shadow_account(const Array& array) {
    if (!execution::checking || !array.allocated() || !array.member() || !has_shadow(array)) return nullptr;
    auto& kept = const_cast<Array&>(array);  // an account is no part of what the array is
    if (kept.shadow_account_of != array.mapping_number) {
        // Other mappings under which an array was passed lay its memory out alike.
        const Array* const owner = array.owner ? nullptr : execution::owner_of(array.base);
        if (owner != nullptr) shadow_account(*owner);
        kept.shadow_account = owner != nullptr && owner->shadow_account != nullptr
                                  ? owner->shadow_account
                                  : std::make_shared<ShadowAccount>(*array.mapping, array.nodes().coordinates);
        kept.shadow_account_of = array.mapping_number;
    }
    return kept.shadow_account.get();
}

void note_reflect(const Array& array, const std::vector<ReflectWidth>& widths, bool orthogonal) {
    new_epoch();
    if (ShadowAccount* const account = shadow_account(array)) account->filled(widths, orthogonal);
}

void note_unknown(const Array& array) {
    new_epoch();
    if (ShadowAccount* const account = shadow_account(array)) account->forget();
}

namespace {

// What every node knows and tells first: what has happened before, and how much it has to tell.
struct Head {
    std::uint64_t past, bytes;
};

std::uint64_t hash_of(const execution::Moment& moment) {
    std::uint64_t hash = 0;
    for (const auto& level : moment.levels)
        for (const std::uint64_t number : {level.set, level.step, level.trace}) hash = (hash ^ number) * 1099511628211u;
    return hash;
}

std::vector<ShadowLog::Write> writes_of_all(Team& team, const std::vector<Head>& heads, const std::vector<std::byte>& mine) {
    std::vector<ShadowLog::Write> writes;
    for (int teller = 0; teller < static_cast<int>(heads.size()); ++teller) {
        std::vector<std::byte> told = mine;
        told.resize(heads[static_cast<std::size_t>(teller)].bytes);
        team.broadcast(told.data(), told.size(), teller);
        unpack(told.data(), told.size(), writes);
    }
    return writes;
}

// The read is at fault, so the message stands at its place.
void check_reads(const Array& array, ShadowAccount& account, const std::vector<ShadowLog::Write>& writes) {
    for (const ShadowLog::Write& write : writes)
        for (const std::vector<Index>& copy : account.copies(write.element)) {
            if (account.owns(copy)) continue;
            const void* const address = execution::stored_element_or_null(array, copy.data());
            const std::uint32_t* const stamp = address == nullptr ? nullptr : stamp_of(array, account, address);
            if (const XMP_Site* const site = account.log.read_after(write, copy, stamp == nullptr ? 0 : *stamp))
                execution::guarded(site, [&] { refuse_read(array, {copy, write.site}); });
        }
}

// From now on all nodes know of them.
void enter(ShadowAccount& account, const std::vector<ShadowLog::Write>& writes) {
    for (const ShadowLog::Write& write : writes) {
        Box box;
        for (const Index index : write.element) box.push_back(IndexSet::interval(index, index));
        account.written(write.site, box);
    }
}

}  // namespace

void compare_logs(const Array& array) {
    ShadowAccount* const account = shadow_account(array);
    if (account == nullptr || array.set->size() == 1 || !all_execute(array)) return;
    const std::vector<std::byte> mine = pack(account->log.writes());
    const Head head = {hash_of(now()), mine.size()};
    std::vector<Head> heads(static_cast<std::size_t>(array.set->size()));
    Team& team = Team::of(array.set, Team::Purpose::checks);
    team.gather(&head, sizeof head, heads.data());
    bool in_step = true, told = false;
    for (const Head& other : heads) {
        in_step = in_step && other.past == head.past;
        told = told || other.bytes > 0;
    }
    if (in_step && told) {
        const std::vector<ShadowLog::Write> writes = writes_of_all(team, heads, mine);
        if (!account->log.in_doubt()) {
            check_reads(array, *account, writes);
            enter(*account, writes);
        }
    }
    account->log.clear();
    new_epoch();
    execution::new_stamp(XMP_stamps.written);
}

void note_assignment(const XMP_Site* site, const XMP_Side& left) {
    if (!execution::checking || left.array == nullptr) return;
    const auto& array = *static_cast<const Array*>(left.array);
    ShadowAccount* const account = shadow_account(array);
    if (account == nullptr) return;
    new_epoch();
    const Box box = elements(array, left);
    if (all_execute(array)) return account->written(site, box);
    account->for_each_mirrored(box, [&](const std::vector<Index>& element) {
        if (account->owns(element)) account->log.written(site, now(), element);
    });
}

}  // namespace kumihimo::globalview

using namespace kumihimo::globalview;
using kumihimo::execution::guarded;

void XMP_Check_start(void) {
    kumihimo::execution::checking = true;
}

void XMP_Check_loop(const XMP_Site* site, const XMP_Array* array, int accesses, const XMP_Subscripts* subscripts) {
    guarded(site, [&] { check_loop(site, *static_cast<const Array*>(array), accesses, subscripts); });
}

XMP_Array* XMP_Check_open(XMP_Array* descriptor) {
    note_unknown(*static_cast<const Array*>(descriptor));
    return descriptor;
}

void* XMP_Element_read(XMP_Place* place, const XMP_Array* descriptor, const XMP_Index* indices) {
    const Array& array = *static_cast<const Array*>(descriptor);
    return guarded(&place->site, [&] {
        void* const address = kumihimo::execution::stored_element(array, indices);
        ShadowAccount* const account = shadow_account(array);
        if (account == nullptr) return address;
        if (!owned(array, account, indices)) check_fresh(array, box_of(array, indices));
        begin_reading(*place, array, *account);
        mark(array, account, address, place->stamp);
        return address;
    });
}

void* XMP_Element_written(XMP_Place* place, const XMP_Array* descriptor, const XMP_Index* indices) {
    const Array& array = *static_cast<const Array*>(descriptor);
    return guarded(&place->site, [&] {
        void* const address = kumihimo::execution::stored_element(array, indices);
        ShadowAccount* const account = shadow_account(array);
        if (!owned(array, account, indices)) refuse_write(array, indices);
        note_write(&place->site, array, account, indices);
        mark(array, account, address, XMP_stamps.written);
        return address;
    });
}

void* XMP_Element_widened(XMP_Place* place, const XMP_Array* descriptor, const XMP_Index* indices) {
    const Array& array = *static_cast<const Array*>(descriptor);
    return guarded(&place->site, [&] {
        void* const address = kumihimo::execution::stored_element(array, indices);
        ShadowAccount* const account = shadow_account(array);
        if (!owned(array, account, indices)) return address;
        note_write(&place->site, array, account, indices);
        mark(array, account, address, XMP_stamps.written);
        return address;
    });
}

void XMP_Check_step(const XMP_Site* site) {
    kumihimo::execution::Context::get().step(*site);
}
