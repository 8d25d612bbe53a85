#include "runtime/localview/races.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "kumihimo/localview.h"
#include "runtime/execution/message.hpp"
#include "runtime/localview/coarrays.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::localview {
namespace {

using execution::Context;
using teams::Team;

// Beyond that uses are not noted: a race may be missed, none is false.
constexpr std::size_t most_uses = 1 << 16;
constexpr std::int64_t most_elements = 1 << 16;

// Elements in a row of the block of one image.
struct TouchedRow {
    std::int64_t block, offset, stride, bytes, count;
    auto key() const { return std::tie(block, offset, stride, bytes, count); }
    bool operator<(const TouchedRow& other) const { return key() < other.key(); }
};

struct Noted {
    const XMP_Site* site;
    Use use;
    int target;            // number in the entire set
    std::uint64_t orders;  // how many synchronisations of some images lay before it
    TouchedRow row;
    auto key() const { return std::tie(site, use, target, orders, row); }
    bool operator<(const Noted& other) const { return key() < other.key(); }
};

// What this image has done since all images synchronised.
struct Phase {
    std::set<Noted> uses;
    std::uint64_t orders = 0;
    bool by_the_program = false;
};
Phase phase;
bool comparing = true;
XMP_Noted* running = nullptr;  // places whose run of elements goes on

void add(const XMP_Site* site, Use use, int target, const TouchedRow& row) {
    if (comparing && phase.uses.size() < most_uses) phase.uses.insert({site, use, target, phase.orders, row});
}

// The rows of a section, which begins so many bytes behind the begin of the block.
void add_section(const XMP_Site* site, Use use, int target, std::int64_t block, std::int64_t offset, const XMP_Section& section,
                 std::int64_t bytes, int d) {
    if (section.rank == 0) return add(site, use, target, {block, offset, bytes, bytes, 1});
    if (d == section.rank - 1) return add(site, use, target, {block, offset, section.stride[d], bytes, section.count[d]});
    for (XMP_Index i = 0; i < std::min<XMP_Index>(section.count[d], most_elements); ++i)
        add_section(site, use, target, block, offset + i * section.stride[d], section, bytes, d + 1);
}

void end_run(XMP_Noted& noted) {
    if (noted.count == 0) return;
    if (const Blocks* const blocks = own_block_around(noted.first))
        add(&noted.site, noted.writes ? Use::write : Use::read, Context::get().world_rank(),
            {blocks->number, noted.first - blocks->direct[static_cast<std::size_t>(Context::get().world_rank())],
             noted.count == 1 ? static_cast<std::int64_t>(noted.bytes) : noted.stride, static_cast<std::int64_t>(noted.bytes),
             static_cast<std::int64_t>(noted.count)});
    noted.count = 0;
}

// A place begins another run.
void begin_run(XMP_Noted& noted) {
    if (!noted.known) {
        noted.known = 1;
        noted.other = running;
        running = &noted;
    }
    end_run(noted);
}

void end_runs() {
    for (XMP_Noted* noted = running; noted != nullptr; noted = noted->other) end_run(*noted);
}

// ---- what images tell each other ----

struct Head {
    std::uint64_t remote, orders;
    int by_the_program;
};

// A use with the image that made it.
struct Made {
    Noted noted;
    int image;
};

std::vector<std::byte> pack(int target) {
    execution::Writer out;
    for (const Noted& noted : phase.uses) {
        if (noted.target != target) continue;
        out.site(*noted.site);
        out.number(noted.use);
        out.number(noted.orders);
        out.number(noted.row);
    }
    return out.take();
}

void unpack(const std::byte* bytes, std::size_t count, int image, std::vector<Made>& made) {
    for (execution::Reader in(bytes, count); in.more();) {
        const XMP_Site* const site = in.site();
        const auto use = in.number<Use>();
        const auto orders = in.number<std::uint64_t>();
        made.push_back({{site, use, 0, orders, in.number<TouchedRow>()}, image});
    }
}

std::vector<int> begins(const std::vector<int>& counts) {
    std::vector<int> places(counts.size(), 0);
    for (std::size_t i = 1; i < counts.size(); ++i) places[i] = places[i - 1] + counts[i - 1];
    return places;
}

// All uses of this image's blocks.
std::vector<Made> uses_of_mine(Team& team) {
    const auto images = static_cast<std::size_t>(team.size());
    std::vector<std::byte> out;
    std::vector<int> out_counts, in_counts(images);
    for (std::size_t image = 0; image < images; ++image) {
        const std::vector<std::byte> packed = pack(static_cast<int>(image));
        out.insert(out.end(), packed.begin(), packed.end());
        out_counts.push_back(static_cast<int>(packed.size()));
    }
    base::meet(team.communicator());
    MPI_Alltoall(out_counts.data(), 1, MPI_INT, in_counts.data(), 1, MPI_INT, team.communicator());
    const std::vector<int> out_places = begins(out_counts), in_places = begins(in_counts);
    std::vector<std::byte> in(static_cast<std::size_t>(in_places.back() + in_counts.back()));
    MPI_Alltoallv(out.data(), out_counts.data(), out_places.data(), MPI_BYTE, in.data(), in_counts.data(), in_places.data(),
                  MPI_BYTE, team.communicator());
    std::vector<Made> made;
    for (std::size_t image = 0; image < images; ++image)
        unpack(in.data() + in_places[image], static_cast<std::size_t>(in_counts[image]), static_cast<int>(image), made);
    return made;
}

// ---- races ----

bool clash(Use a, Use b) {
    return a == Use::write || b == Use::write || a != b;  // reads do not meet each other, and accumulates are atomic
}

bool ordered(const Made& a, const Made& b, const std::vector<Head>& heads) {
    const auto after = [&](const Made& made) { return made.noted.orders < heads[static_cast<std::size_t>(made.image)].orders; };
    const auto before = [](const Made& made) { return made.noted.orders > 0; };
    return (after(a) && before(b)) || (after(b) && before(a));
}

struct Bytes {
    std::int64_t block, first, end;
    const Made* made;
    bool operator<(const Bytes& other) const { return std::tie(block, first) < std::tie(other.block, other.first); }
};

void append_bytes(const Made& made, std::vector<Bytes>& all) {
    const TouchedRow& row = made.noted.row;
    if (row.stride == row.bytes || row.count == 1) {
        all.push_back({row.block, row.offset, row.offset + row.count * row.bytes, &made});
        return;
    }
    for (std::int64_t i = 0; i < std::min(row.count, most_elements); ++i)
        all.push_back({row.block, row.offset + i * row.stride, row.offset + i * row.stride + row.bytes, &made});
}

struct Race {
    const Made *one, *other;
    std::int64_t block, offset;
};

std::optional<Race> find_race(const std::vector<Made>& uses, const std::vector<Head>& heads) {
    std::vector<Bytes> all;
    for (const Made& made : uses)
        if (heads[static_cast<std::size_t>(made.image)].by_the_program == 0) append_bytes(made, all);
    std::sort(all.begin(), all.end());
    std::vector<const Bytes*> open;  // those that may reach the next one
    for (const Bytes& next : all) {
        std::erase_if(open, [&](const Bytes* bytes) { return bytes->block != next.block || bytes->end <= next.first; });
        for (const Bytes* bytes : open)
            if (bytes->made->image != next.made->image && clash(bytes->made->noted.use, next.made->noted.use) &&
                !ordered(*bytes->made, *next.made, heads))
                return Race{bytes->made, next.made, next.block, next.first};
        open.push_back(&next);
    }
    return std::nullopt;
}

const char* verb(Use use) {
    return use == Use::read ? "read" : use == Use::write ? "written" : "updated";
}

std::string told(const Made& made) {
    return fmt::format("\n    {} by image {} at {}", verb(made.noted.use), base::node_number(made.image),
                       execution::place_text(*made.noted.site));
}

[[noreturn]] void refuse(const Race& race) {
    throw base::Error(fmt::format("{} of image {} is used by two images between the same two synchronisations:{}{}",
                                  element_text(race.block, race.offset), base::node_number(Context::get().world_rank()),
                                  told(*race.one), told(*race.other)),
                      "Synchronise the images in between: xmp_sync_all, xmp_sync_images, or post and wait.");
}

}  // namespace

void note_remote(const XMP_Site* site, Use use, const Place& place, const XMP_Section& section, std::size_t element_bytes) {
    if (!execution::checking || place.blocks->number < 0) return;
    add_section(site, use, place.node, place.blocks->number, static_cast<std::int64_t>(place.offset), section,
                static_cast<std::int64_t>(element_bytes), 0);
}

void note_local(const XMP_Site* site, Use use, const XMP_Section& section, std::size_t element_bytes) {
    if (!execution::checking) return;
    const int me = Context::get().world_rank();
    if (const Blocks* const blocks = own_block_around(section.address))
        add_section(site, use, me, blocks->number,
                    static_cast<const char*>(section.address) - blocks->direct[static_cast<std::size_t>(me)], section,
                    static_cast<std::int64_t>(element_bytes), 0);
}

void note_order(Order order) {
    if (!execution::checking) return;
    end_runs();
    ++phase.orders;
    phase.by_the_program |= order == Order::by_the_program;
}

void compare_uses(const execution::NodeSetPointer& set) {
    if (!execution::checking || !XMP_local_view || !comparing) return;
    if (set->size() < Context::get().world_size()) return note_order(Order::some_images);
    if (set->size() == 1) return;
    end_runs();
    const int me = Context::get().world_rank();
    const auto remote = std::count_if(phase.uses.begin(), phase.uses.end(), [&](const Noted& n) { return n.target != me; });
    const Head head = {static_cast<std::uint64_t>(remote), phase.orders, phase.by_the_program};
    std::vector<Head> heads(static_cast<std::size_t>(set->size()));
    Team& team = Team::of(set, Team::Purpose::checks);
    team.gather(&head, sizeof head, heads.data());
    std::optional<Race> race;
    std::vector<Made> uses;
    if (std::any_of(heads.begin(), heads.end(), [](const Head& other) { return other.remote > 0; })) {
        uses = uses_of_mine(team);
        race = find_race(uses, heads);
    }
    phase = Phase();
    if (race) refuse(*race);
}

void stop_comparing() {
    comparing = false;
    phase = Phase();
}

}  // namespace kumihimo::localview

using namespace kumihimo;

void XMP_Note_more(XMP_Noted* noted, const void* address) {
    const auto* const at = static_cast<const char*>(address);
    if (noted->count == 1) {  // the second one says how far they are apart
        noted->stride = at - noted->first;
        noted->next = at + noted->stride;
        noted->count = 2;
        return;
    }
    localview::begin_run(*noted);
    noted->first = at;
    noted->next = nullptr;
    noted->count = 1;
}

void XMP_Note_new_row(XMP_Noted* noted, const void* first, ptrdiff_t stride, size_t count) {
    localview::begin_run(*noted);
    noted->first = static_cast<const char*>(first);
    noted->next = noted->first + stride * static_cast<ptrdiff_t>(count);
    noted->stride = stride;
    noted->count = count;
}
