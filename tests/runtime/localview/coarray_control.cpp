// Image control in random patterns, post and wait, which images an index means in tasks, and global arrays as coarrays.
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "tests/runtime/localview/coarray_model.hpp"

namespace kumihimo::test {
namespace {

constexpr int most_images = 64;

// Before the program starts, as a translated program does: global arrays may be used as coarrays.
[[gnu::constructor]] void use_local_view() {
    XMP_local_view = 1;
}

XMP_Coarray* slots() {  // one for each image: the last round it has told of
    static XMP_Coarray* const coarray = XMP_Coarray_declare("slots", most_images * sizeof(long), nullptr);
    return coarray;
}

class Control : public testing::Test {
protected:
    const int images = nodes_in_all(), me = my_node();
    long* const slot = static_cast<long*>(slots()->base);

    void SetUp() override {
        sync_all();
        std::fill_n(slot, most_images, 0L);
        sync_all();
    }
    void tell(const XMP_Coarray* coarray, int image, long value) {
        XMP_Put_run(XMP_SITE("put"), coarray, image, slot + me, &value, sizeof value);
    }
};

TEST_F(Control, SyncAllCompletesPuts) {
    for (long round = 1; round <= rounds(100); ++round) {
        for (int image = 0; image < images; ++image) tell(slots(), image, round);
        int status = -1;
        xmp_sync_all(&status);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        for (int image = 0; image < images; ++image) EXPECT_EQ(slot[image], round);
        xmp_sync_all(nullptr);
    }
}

// Every pair meets as often on both sides, by whichever of the three functions.
TEST_F(Control, SyncImagesInRandomPatterns) {
    Random random(21);
    for (long round = 1; round <= rounds(150); ++round) {
        std::vector<int> partners;
        const Index density = random.between(0, 3);
        for (int a = 0; a < images; ++a)
            for (int b = a; b < images; ++b) {
                const bool meet = density == 3 || random.between(0, 2) < density;
                if (meet && (a == me || b == me)) partners.push_back(a == me ? b : a);
            }
        std::shuffle(partners.begin(), partners.end(), std::mt19937(static_cast<unsigned>(round * 100 + me)));
        for (const int partner : partners) tell(slots(), partner, round);
        int status = -1;
        if (density == 3)
            xmp_sync_images_all(&status);
        else if (partners.size() == 1)
            xmp_sync_image(partners[0], &status);
        else
            xmp_sync_images(static_cast<int>(partners.size()), partners.data(), &status);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        for (const int partner : partners) EXPECT_GE(slot[partner], round) << "from image " << partner;
    }
}

// A spin on an own element, as in the ping-pong of the paper.
TEST_F(Control, SyncMemoryInALoop) {
    if (images < 2 || me > 1) return;
    volatile long* const ball = slot + (1 - me);
    for (long round = 1; round <= 100; ++round) {
        if (me == 0) tell(slots(), 1, round);
        while (*ball < round) xmp_sync_memory(nullptr);
        if (me == 1) tell(slots(), 0, round);
    }
    xmp_sync_memory(nullptr);
}

class Posts : public Control {
protected:
    XMP_Nodes* const nodes = declare_nodes({nodes_in_all()});
    On node(int number) const { return On(nodes, {XMP_AT(number)}); }
};

TEST_F(Posts, EveryPostMeetsOneWait) {
    Random random(31);
    for (int round = 0; round < 4; ++round) {
        struct Expected {
            int from, tag;
        };
        std::vector<Expected> expected;
        for (int i = 0; i < 12 * images; ++i) {
            const int from = static_cast<int>(random.between(0, images - 1)),
                      to = static_cast<int>(random.between(0, images - 1));
            const int tag = static_cast<int>(random.between(-2, 2)) * 1000000000;
            if (to == me) expected.push_back({from, tag});
            if (from == me) XMP_Post(XMP_SITE("post"), node(to), tag);
        }
        std::shuffle(expected.begin(), expected.end(), std::mt19937(static_cast<unsigned>(round)));
        std::vector<Expected> late;  // these are waited for without a tag or without a node, when nothing else is left
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (i % 3 != 0)
                XMP_Wait(XMP_SITE("wait"), node(expected[i].from), &expected[i].tag);
            else
                late.push_back(expected[i]);
        }
        for (std::size_t i = 0; i < late.size() / 2; ++i) XMP_Wait(XMP_SITE("wait"), node(late[i].from), nullptr);
        for (std::size_t i = late.size() / 2; i < late.size(); ++i) XMP_Wait(XMP_SITE("wait"), nullptr, nullptr);
        sync_all();
    }
}

TEST_F(Posts, PostCompletesPuts) {
    const int right = (me + 1) % images, left = (me + images - 1) % images, tag = 3;
    for (long round = 1; round <= rounds(60); ++round) {
        tell(slots(), right, round);
        XMP_Post(XMP_SITE("post"), node(right), tag);
        XMP_Wait(XMP_SITE("wait"), node(left), &tag);
        EXPECT_GE(slot[left], round);
    }
    sync_all();
}

// ---- images in tasks ----

class Tasks : public Posts {
protected:
    const int half = (images + 1) / 2;  // the first task has this many nodes
    const bool first = me < half;
    On part() const {
        return On(nodes, {first ? XMP_Range XMP_FROM_TO(0, half - 1, 1) : XMP_Range XMP_FROM_TO(half, images - 1, 1)});
    }
};

TEST_F(Tasks, IndicesFollowTheExecutingSet) {
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task"), part(), 0);
    ASSERT_EQ(XMP_Task_enter(&task), 1);
    const int count = first ? half : images - half, mine = first ? me : me - half;
    EXPECT_EQ(xmp_num_images(), count);
    EXPECT_EQ(xmpc_this_image(), mine);
    EXPECT_EQ(XMP_current_images.count, count);
    for (long round = 1; round <= 20; ++round) {
        tell(slots(), (mine + 1) % count, round);
        xmp_sync_all(nullptr);
        const int left = (mine + count - 1) % count + (first ? 0 : half);
        EXPECT_EQ(slot[left], round);
        xmp_sync_all(nullptr);
    }
    XMP_Task_leave(&task);
    EXPECT_EQ(XMP_current_images.count, images);
    sync_all();
}

// Inside a task: a pinned coarray and an image directive reach all images of the node array that they name.
TEST_F(Tasks, PinnedCoarraysAndImageDirectives) {
    XMP_Coarray* pinned = XMP_Coarray_on(XMP_SITE("coarray on p"), slots(), nodes);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task"), part(), 0);
    ASSERT_EQ(XMP_Task_enter(&task), 1);
    EXPECT_EQ(pinned->images->count, images);
    for (long round = 1; round <= 10; ++round) {
        for (int image = 0; image < images; ++image) tell(pinned, image, round);
        XMP_Image(XMP_SITE("image(p)"), nodes);
        xmp_sync_all(nullptr);
        for (int image = 0; image < images; ++image) EXPECT_EQ(slot[image], round);
        int opposite = images - 1 - me;
        XMP_Image(XMP_SITE("image(p)"), nodes);
        xmp_sync_images(1, &opposite, nullptr);
        xmp_sync_all(nullptr);  // counts in the task again
        XMP_Image(XMP_SITE("image(p)"), nodes);
        xmp_sync_images_all(nullptr);
    }
    XMP_Task_leave(&task);
    XMP_Coarray_release(&pinned);
    EXPECT_EQ(pinned, nullptr);
    sync_all();
}

TEST_F(Tasks, ImageIndicesOfOtherSets) {
    const XMP_Index sizes[] = {images - half};
    const On behind(nodes, {XMP_FROM_TO(half, images - 1, 1)});
    XMP_Nodes* const rest =
        images > half ? XMP_Nodes_declare(XMP_SITE("nodes q"), "q", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_PART, behind) : nullptr;
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task"), part(), 0);
    ASSERT_EQ(XMP_Task_enter(&task), 1);
    if (rest != nullptr) {
        const int last[] = {images - half - 1};
        int result = -9;
        xmp_get_primary_image_index(1, last, &result, rest);
        EXPECT_EQ(result, images - 1);
        xmp_get_image_index(1, last, &result, rest);
        EXPECT_EQ(result, first ? -1 : last[0]);
    }
    const int mine = xmpc_this_image();
    int primary = -9;
    xmp_get_primary_image_index(1, &mine, &primary, nullptr);
    EXPECT_EQ(primary, me);
    XMP_Task_leave(&task);
    sync_all();
}

// The local section of a global array is a coarray: on all nodes, and on all but the first.
class GlobalArrays : public Tasks, public testing::WithParamInterface<int> {
protected:
    static constexpr Index block = 10;
    const int first = GetParam(), count = images - first;
    // An array with `block` elements on each node from `first` on.
    XMP_Array* declare() const {
        const XMP_Index size = count;
        const On behind(nodes, {XMP_FROM_TO(first, images - 1, 1)});
        XMP_Nodes* const part = XMP_Nodes_declare(XMP_SITE("nodes q"), "q", XMP_ROW_MAJOR, 1, &size, XMP_NODES_PART, behind);
        XMP_Template* const target = declare_template(part, {{0, block * count - 1}}, {XMP_FORMAT_BLOCK(0, 0)});
        const XMP_Bounds bounds = {0, block * count - 1};
        const XMP_Align align = {0, 0};
        return XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, &bounds, target, &align,
                                 nullptr);
    }
    // Not by transports that reach only memory of their own.
    bool reached(const int* mine) const {
        const char* const transport = std::getenv("KUMIHIMO_TRANSPORT");
        if (transport == nullptr || std::strcmp(transport, "mpi") == 0) return true;
        const XMP_Coarray* const coarray = XMP_Coarray_of(XMP_SITE("of"), mine);
        for (int image = first; image < images; ++image)
            if (XMP_Direct(coarray, image, mine) == nullptr) return false;
        return true;
    }
    // Get, put, accumulate and atomic of the right neighbour's block.
    void use(int* mine) const {
        const int right = first + (me - first + 1) % count, left = first + (me - first + count - 1) % count;
        const XMP_Coarray* const coarray = XMP_Coarray_of(XMP_SITE("of"), mine + 4);
        const int value = 50 + me;
        int seen = -1, before = -1;
        XMP_Get_run(XMP_SITE("get"), coarray, right, mine + 9, &seen, sizeof seen);
        EXPECT_EQ(seen, right);
        XMP_Put_run(XMP_SITE("put"), coarray, right, mine + 1, &value, sizeof value);
        XMP_Accumulate_one(XMP_SITE("+="), coarray, right, mine + 2, &value, XMP_SUM, XMP_TYPE_INT);
        XMP_Atomic(XMP_SITE("add"), coarray, right, mine + 3, sizeof(int), XMP_ATOMIC_ADD, value, 0, &before);
        EXPECT_EQ(before, right);
        sync_all();
        EXPECT_EQ(mine[1], 50 + left);
        EXPECT_EQ(mine[2], me + 50 + left);
        EXPECT_EQ(mine[3], me + 50 + left);
    }
};

TEST_P(GlobalArrays, AreCoarrays) {
    if (count < 1) GTEST_SKIP() << "no node behind the first";
    for (int again = 0; again < 2; ++again) {  // memory that is freed and used again is reached, too
        XMP_Array* array = declare();
        auto* const mine = static_cast<int*>(array->base);
        EXPECT_EQ(mine != nullptr, me >= first);
        if (mine != nullptr) std::fill_n(mine, block, me);
        sync_all();
        if (mine != nullptr && reached(mine))
            use(mine);
        else
            sync_all();
        sync_all();
        XMP_Array_release(&array);
    }
}
// block(4) of 4 elements: images whose section is empty reach those of the first one all the same.
TEST_P(GlobalArrays, OfEmptySections) {
    if (first > 0) GTEST_SKIP() << "on all nodes";
    XMP_Template* const target = declare_template(nodes, {{0, 3}}, {XMP_FORMAT_BLOCK(0, 4)});
    const XMP_Bounds bounds = {0, 3};
    const XMP_Align align = {0, 0};
    XMP_Array* array = XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, &bounds, target,
                                         &align, nullptr);
    auto* const mine = static_cast<int*>(array->base);
    if (me == 0) std::iota(mine, mine + 4, 10);
    sync_all();
    if (reached(mine)) {
        int seen = -1;
        XMP_Get_run(XMP_SITE("get"), XMP_Coarray_of(XMP_SITE("of"), mine), 0, mine + 2, &seen, sizeof seen);
        EXPECT_EQ(seen, 12);
    }
    sync_all();
    XMP_Array_release(&array);
}
INSTANTIATE_TEST_SUITE_P(OnAllNodesAndOnSome, GlobalArrays, testing::Values(0, 1));

}  // namespace
}  // namespace kumihimo::test
