// Random programs of reads and writes against a serial model of the file. All ranks draw the same program from one seed and
// play every rank's writes on the model, in memory; each checks what it reads, and the file at the end. In a phase every byte
// belongs to one rank, so that the result does not depend on the order; all ranks see it after sync.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

using Random = std::mt19937_64;

Index draw(Random& random, Index least, Index most) {
    return std::uniform_int_distribution<Index>(least, most)(random);
}

// The offsets of the first `count` bytes of a pattern that is repeated.
std::vector<Index> offsets_of(const std::vector<std::pair<Index, Index>>& blocks, Index period, Index displacement,
                              Index count) {
    std::vector<Index> result;
    if (blocks.empty()) return result;
    for (Index tile = 0;; ++tile)
        for (const auto& [offset, length] : blocks)
            for (Index i = 0; i < length; ++i) {
                if (static_cast<Index>(result.size()) == count) return result;
                result.push_back(displacement + tile * period + offset + i);
            }
}

struct Layout {
    std::vector<std::pair<Index, Index>> blocks;  // {offset, length} within a period
    Index period = 1, displacement = 0;
    View view() const { return {displacement, sets::Extents::blocks(blocks), period}; }
    std::vector<Index> offsets(Index first, Index count) const {
        auto all = offsets_of(blocks, period, displacement, first + count);
        all.erase(all.begin(), all.begin() + std::min<Index>(first, static_cast<Index>(all.size())));
        return all;
    }
};

// Every rank's part of a period: disjoint, maybe with holes, maybe empty.
std::vector<Layout> draw_layouts(Random& random, int ranks) {
    std::vector<Layout> layouts(static_cast<std::size_t>(ranks));
    const Index displacement = draw(random, 0, 100), grain = Index{1} << draw(random, 0, 9);
    const bool regular = draw(random, 0, 2) == 0;
    Index at = 0;
    for (int piece = 0; piece < 3 * ranks + 2; ++piece) {
        const auto owner = static_cast<std::size_t>(regular ? piece % ranks : draw(random, 0, ranks));  // == ranks: nobody
        const Index length = regular ? grain : draw(random, 1, 2 * grain);
        if (owner < layouts.size()) {
            auto& blocks = layouts[owner].blocks;
            if (!blocks.empty() && blocks.back().first + blocks.back().second == at)
                blocks.back().second += length;
            else
                blocks.emplace_back(at, length);
        }
        at += length;
    }
    for (Layout& layout : layouts) layout.period = at, layout.displacement = displacement;
    return layouts;
}

// Memory with gaps, which a read must leave alone.
struct Buffer {
    static constexpr std::byte untouched{0xEE};
    Buffer(Random& random, Index bytes) {
        const bool plain = draw(random, 0, 1) == 0;
        for (Index at = 0, piece = 0; piece < (plain ? 1 : 4); ++piece) {
            const Index length = plain ? std::max<Index>(1, bytes) : draw(random, 1, 40);
            layout.blocks.emplace_back(at, length);
            at += length + (plain ? 0 : draw(random, 0, 10));
            layout.period = at;
        }
        places = layout.offsets(0, bytes);
        storage.assign(places.empty() ? 1 : static_cast<std::size_t>(places.back() + layout.period + 1), untouched);
    }
    Memory memory() { return {storage.data(), sets::Extents::blocks(layout.blocks), layout.period}; }

    Layout layout;
    std::vector<Index> places;  // of each byte of the transfer
    Bytes storage;
};

struct Model {
    Bytes bytes;
    void put(Index offset, std::byte value) {
        if (offset >= static_cast<Index>(bytes.size())) bytes.resize(static_cast<std::size_t>(offset) + 1);
        bytes[static_cast<std::size_t>(offset)] = value;
    }
};

class Program : public testing::TestWithParam<Hints> {
protected:
    void run(unsigned seed);

    // One call of every rank: all draw all of it, each makes its own.
    void write(Opened& file, bool collective);
    void read(Opened& file, const std::vector<Layout>& layouts, Index visible, bool to_the_end, bool collective);
    std::byte fresh() { return static_cast<std::byte>(counter_++ * 151 + 3); }

    Random random_;
    std::vector<Layout> layouts_;
    Model model_;
    unsigned counter_ = 0;
    Index largest_ = 3000;  // bytes of a transfer
};

void Program::write(Opened& file, bool collective) {
    for (int who = 0; who < ranks(); ++who) {
        const Layout& layout = layouts_[static_cast<std::size_t>(who)];
        const Index bytes = layout.blocks.empty() || draw(random_, 0, 5) == 0 ? 0 : draw(random_, 1, largest_);
        const Index position = draw(random_, 0, largest_);
        Buffer buffer(random_, bytes);
        for (const Index place : buffer.places) buffer.storage[static_cast<std::size_t>(place)] = fresh();
        const auto offsets = layout.offsets(position, bytes);
        for (std::size_t i = 0; i < offsets.size(); ++i)
            model_.put(offsets[i], buffer.storage[static_cast<std::size_t>(buffer.places[i])]);
        if (who != rank()) continue;
        const View view = layout.view();
        const Memory memory = buffer.memory();
        const Access access = {view, position, bytes, memory};
        expect_moved(collective ? file.agreed(file->write_all(access)) : file->write(access), bytes);
    }
}

// `visible`: the file up to there is what the model says, for the bytes of these layouts. `to_the_end`: and it ends there.
void Program::read(Opened& file, const std::vector<Layout>& layouts, Index visible, bool to_the_end, bool collective) {
    for (int who = 0; who < ranks(); ++who) {
        const Layout& layout = layouts[static_cast<std::size_t>(who)];
        Index bytes = layout.blocks.empty() ? 0 : draw(random_, 0, largest_);
        const Index position = draw(random_, 0, largest_);
        auto offsets = layout.offsets(position, bytes);
        const auto ended = std::lower_bound(offsets.begin(), offsets.end(), visible);
        const Index expected = ended - offsets.begin();
        if (!to_the_end) bytes = expected;  // what lies behind may be there or not
        Buffer buffer(random_, bytes);
        if (who != rank()) continue;
        const View view = layout.view();
        const Memory memory = buffer.memory();
        const Access access = {view, position, bytes, memory};
        expect_moved(collective ? file.agreed(file->read_all(access)) : file->read(access), expected);
        Bytes should(buffer.storage.size(), Buffer::untouched);
        for (Index i = 0; i < expected; ++i)
            should[static_cast<std::size_t>(buffer.places[static_cast<std::size_t>(i)])] =
                model_.bytes[static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)])];
        for (Index i = expected; i < bytes; ++i) {  // behind the end: no promise
            const auto place = static_cast<std::size_t>(buffer.places[static_cast<std::size_t>(i)]);
            should[place] = buffer.storage[place];
        }
        EXPECT_EQ(buffer.storage == should, true) << "read of " << bytes << " bytes at position " << position;
    }
}

void Program::run(unsigned seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_.seed(seed);
    model_.bytes.clear();
    const bool large = seed % 4 == 0 && (long_form() || engine_is("catwalk"));  // more small records than its buffers hold
    largest_ = large ? 40'000 : 3000;
    Directory directory;
    const std::string path = directory.file("data");
    {
        Opened file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, GetParam());
        ASSERT_TRUE(file.is_open()) << file.why();
        for (int phase = 0; phase < 4; ++phase) {
            layouts_ = draw_layouts(random_, ranks());
            const auto synced = static_cast<Index>(model_.bytes.size());
            for (int call = static_cast<int>(draw(random_, 1, 10)); call > 0; --call) {
                const Index kind = draw(random_, 0, 5);
                if (kind < 2)
                    write(file, false);
                else if (kind < 4)
                    write(file, true);
                else
                    read(file, layouts_, synced, false, kind == 5);  // what it wrote itself
                if (HasFailure()) return;
            }
            expect_well(file->sync());
            Index size = 0;
            expect_well(file->size(size));
            EXPECT_EQ(size, static_cast<Index>(model_.bytes.size()));
            const auto others = draw_layouts(random_, ranks());
            for (int call = 0; call < 2; ++call) read(file, others, static_cast<Index>(model_.bytes.size()), true, call == 0);
            expect_well(file->sync());  // so that the next phase's writes meet nobody's reads
            if (draw(random_, 0, 3) == 0) {
                const Index bytes = draw(random_, 0, 2 * largest_);
                expect_well(file->set_size(bytes));
                model_.bytes.resize(static_cast<std::size_t>(bytes));
            }
            if (HasFailure()) return;
        }
        expect_well(file.close());
    }
    barrier();
    EXPECT_EQ(contents(path) == model_.bytes, true) << "the file at the end";
}

// The same on all ranks, which have the same environment.
unsigned number_from(const char* variable, unsigned otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// KUMIHIMO_TEST_SEED=<number>: the first program; KUMIHIMO_TEST_PROGRAMS=<number>: how many. A failed run tells its seed.
TEST_P(Program, GivesWhatTheSerialModelSays) {
    const unsigned usual = long_form()            ? 300
                           : support::sanitized   ? 2
                           : engine_is("catwalk") ? (ranks() > 4 ? 2 : 4)  // a new file is new processes there
                           : ranks() > 4          ? 4
                                                  : 6;
    const unsigned first = number_from("KUMIHIMO_TEST_SEED", 1), count = number_from("KUMIHIMO_TEST_PROGRAMS", usual);
    for (unsigned seed = first; seed - first < count && !HasFailure(); ++seed) run(seed);
}

INSTANTIATE_TEST_SUITE_P(Ways, Program, testing::ValuesIn(ways()), name_of);

}  // namespace
}  // namespace kumihimo::mpiio
