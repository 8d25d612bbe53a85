// template, distribute, template_fix, and owners of template references against a scan over all indices.
#include "helpers.hpp"

namespace kumihimo::execution::testing {
namespace {

XMP_Format block(int onto, XMP_Index n = 0) {
    return XMP_FORMAT_BLOCK(onto, n);
}
XMP_Format cyclic(int onto, XMP_Index n = 0) {
    return XMP_FORMAT_CYCLIC(onto, n);
}

// Ranks that own an index of [first, last] of a one-dimensional template, by asking for every index.
std::vector<int> owners(const XMP_Template* t, Index first, Index last, Index step) {
    std::vector<bool> owns(size(), false);
    for (Index i = first; i <= last; i += step) owns[t->mapping->dimension(0).owner(i)] = true;
    std::vector<int> ranks;
    for (int r = 0; r < size(); r++)
        if (owns[r]) ranks.push_back(r);
    return ranks;
}

TEST(TemplateReference, OwnersOfSections) {
    const Nodes p({size()});
    std::vector<int> sizes(size(), 0);
    sizes[size() - 1] = 20, sizes[0] += 3;  // gblock with empty blocks
    const XMP_Format formats[] = {block(0), block(0, 23), cyclic(0), cyclic(0, 3), XMP_FORMAT_GBLOCK(0, size(), sizes.data())};
    for (const XMP_Format& format : formats) {
        const Template t({{-3, 19}}, p, {format});
        for (Index first = -3; first <= 19; first += 2) {
            for (Index last = first; last <= 19; last += 3) {
                for (Index step = 1; step <= 5; step += 2) {
                    const XMP_Range range[] = {XMP_FROM_TO(first, last, step)};
                    const XMP_On on = {t.t, 1, range};
                    EXPECT_EQ(Context::get().resolve(&on)->world_ranks(), owners(t, first, last, step));
                }
            }
        }
        const XMP_Range all[] = {XMP_ALL}, own[] = {XMP_OWN}, none[] = {XMP_FROM_TO(5, 4, 1)};
        const XMP_On on_all = {t.t, 1, all}, on_own = {t.t, 1, own}, on_none = {t.t, 1, none}, whole = {t.t, 0, nullptr};
        EXPECT_EQ(Context::get().resolve(&on_all)->size(), size());
        EXPECT_EQ(Context::get().resolve(&whole)->size(), size());
        EXPECT_EQ(Context::get().resolve(&on_own)->world_ranks(), std::vector<int>{rank()});
        EXPECT_EQ(Context::get().resolve(&on_none)->size(), 0);
    }
}

TEST(TemplateReference, TwoDimensionsOneDistributed) {
    const Nodes p({size()});
    const Template t({{0, 9}, {0, 4}}, p, {XMP_FORMAT_NONE, block(0, 5)});
    const XMP_Range row[] = {XMP_AT(7), XMP_ALL}, element[] = {XMP_ALL, XMP_AT(4)}, empty[] = {XMP_FROM_TO(3, 2, 1), XMP_ALL};
    const XMP_On on_row = {t.t, 2, row}, on_element = {t.t, 2, element}, on_empty = {t.t, 2, empty};
    EXPECT_EQ(Context::get().resolve(&on_row)->size(), size());
    EXPECT_EQ(Context::get().resolve(&on_element)->world_ranks(), std::vector<int>{0});
    EXPECT_EQ(Context::get().resolve(&on_empty)->size(), 0);
}

TEST(TemplateReference, Mistakes) {
    const Nodes p({size()});
    const Template t({{0, 9}}, p, {block(0)});
    const XMP_Range outside[] = {XMP_FROM_TO(8, 10, 1)};
    const XMP_On on = {t.t, 1, outside};
    EXPECT_EQ(message_of([&] { Context::get().resolve(&on); }), "subscript 10 of dimension 1 of template t is outside 0:9");
    const Template open(1, XMP_ROW_MAJOR);
    const XMP_On on_open = {open.t, 0, nullptr};
    EXPECT_EQ(message_of([&] { Context::get().resolve(&on_open); }), "template t is not fixed yet");
}

TEST(Template, HasElements) {
    for (const Index upper : {2, -5})
        EXPECT_EQ(message_of([&] {
                      Template({{3, upper}});
                  }),
                  "dimension 1 of template t has no elements: its bounds are 3:" + std::to_string(upper));
}

TEST(Distribute, Mistakes) {
    const Nodes p({size()});
    const XMP_Format once[] = {block(0)};
    const Template t({{0, 9}}, p, {block(0)});
    EXPECT_EQ(message_of([&] { distribute(*t, *p, once); }), "template t is distributed twice");

    const Template sized({{0, 9}});
    const XMP_Format zero[] = {XMP_FORMAT_CYCLIC(0, XMP_Size(0))};
    EXPECT_EQ(message_of([&] { distribute(*sized, *p, zero); }), "cyclic(0) of dimension 1 of template t");
    const Template narrow({{0, 10 * size()}});
    const XMP_Format ten[] = {block(0, 10)};
    EXPECT_NE(message_of([&] { distribute(*narrow, *p, ten); }).find("block(10) on "), std::string::npos);

    const Template two({{0, 9}, {0, 9}});
    const XMP_Format same[] = {block(0), block(0)}, none[] = {XMP_FORMAT_NONE, XMP_FORMAT_NONE};
    EXPECT_NE(message_of([&] { distribute(*two, *p, same); }).find("is taken already"), std::string::npos);
    EXPECT_NE(message_of([&] { distribute(*two, *p, none); }).find("distributes 0 dimensions onto node array p, which has 1"),
              std::string::npos);
}

TEST(Distribute, GblockSizesMustFit) {
    const Nodes p({size()});
    std::vector<int> sizes(size() + 1, 2);
    const XMP_Format formats[] = {XMP_FORMAT_GBLOCK(0, size(), sizes.data())};
    const Template right({{1, 2 * size()}}), wrong({{1, 2 * size() + 1}});
    distribute(*right, *p, formats);
    EXPECT_TRUE(right->fixed());
    EXPECT_EQ(message_of([&] { distribute(*wrong, *p, formats); }),
              "the sizes of gblock add up to " + std::to_string(2 * size()) + ", but dimension 1 of template t has " +
                  std::to_string(2 * size() + 1) + " elements");
    const Template few({{1, 2 * size()}}), many({{1, 2 * size()}}), more({{1, 2 * size()}}), negative({{1, 2 * size()}});
    const XMP_Format too_few[] = {XMP_FORMAT_GBLOCK(0, size() - 1, sizes.data())};
    EXPECT_NE(message_of([&] { distribute(*few, *p, too_few); }), "");
    sizes.back() = 0;  // entries behind the last node must be 0
    const XMP_Format longer[] = {XMP_FORMAT_GBLOCK(0, size() + 1, sizes.data())};
    distribute(*many, *p, longer);
    EXPECT_EQ(many->mapping->dimension(0).extent(), 2 * size());
    sizes.back() = 1;
    EXPECT_NE(message_of([&] { distribute(*more, *p, longer); }).find("the size 1 for subscript " + std::to_string(size())),
              std::string::npos);
    sizes[0] = -1;
    EXPECT_NE(message_of([&] { distribute(*negative, *p, formats); }).find("negative"), std::string::npos);
}

TEST(TemplateFix, ShapeThenMappingOrBoth) {
    const Nodes p({size()});
    const XMP_Bounds bounds[] = {{0, 3 * size() - 1}};
    const XMP_Format format[] = {block(0)};
    {
        const Template t(1, XMP_ROW_MAJOR);
        distribute(*t, *p, format);
        EXPECT_FALSE(t->fixed());
        fix_template(*t, bounds, nullptr);
        ASSERT_TRUE(t->fixed());
        EXPECT_EQ(t->mapping->dimension(0).owner(3 * size() - 1), size() - 1);
        EXPECT_EQ(message_of([&] { fix_template(*t, bounds, nullptr); }), "template t is fixed already");
    }
    const std::vector<int> sizes(size(), 3);
    const XMP_Format open[] = {XMP_FORMAT_GBLOCK(0, 0, nullptr)}, given[] = {XMP_FORMAT_GBLOCK(0, size(), sizes.data())};
    {
        const Template t(1, XMP_ROW_MAJOR);
        distribute(*t, *p, open);
        fix_template(*t, bounds, given);
        EXPECT_TRUE(t->fixed());
    }
    {
        const Template t({{0, 3 * size() - 1}}, p, {open[0]});  // shape known, mapping not (decision MAP-08)
        EXPECT_FALSE(t->fixed());
        EXPECT_EQ(message_of([&] { fix_template(*t, nullptr, format); }),
                  "template_fix gives block for dimension 1 of template t, distribute said gblock");
        fix_template(*t, nullptr, given);
        EXPECT_TRUE(t->fixed());
    }
    {
        const Template t(1, XMP_ROW_MAJOR);
        distribute(*t, *p, open);
        EXPECT_EQ(message_of([&] { fix_template(*t, bounds, nullptr); }), "template_fix leaves template t undefined");
    }
}

TEST(TemplateFix, AllocatesWaitingArrays) {
    const Nodes p({size()});
    const XMP_Bounds bounds[] = {{0, 3 * size() - 1}};
    const XMP_Format format[] = {block(0)};
    const Template t(1, XMP_ROW_MAJOR);
    distribute(*t, *p, format);
    const GlobalArray a(t, {bounds[0]}, {{0, 0}});
    EXPECT_EQ(a->base, nullptr);
    fix_template(*t, bounds, nullptr);
    EXPECT_NE(a->base, nullptr);
    EXPECT_EQ(a->dimension[0].length, 3);
}

}  // namespace
}  // namespace kumihimo::execution::testing
