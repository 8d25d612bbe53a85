// The array functions (specification 7.9) against serial models: random layouts and types of all arguments, some of them memory
// of each node, some the same array twice.
#include <cmath>
#include <memory>

#include "runtime/arrays/functions.hpp"
#include "tests/runtime/globalview/gmove_sides.hpp"

namespace kumihimo::test {
namespace {

using Sides = std::unique_ptr<TestSide>;

Sides random_argument(Random& random, const ElementType& element, const Shape& shape) {
    Sides side;
    if (random.one_in(6))
        side = std::make_unique<TestMemory>(random, element, shape);
    else
        side = std::make_unique<TestArray>(random, element, shape);
    side->draw_values(random);
    return side;
}

// A side as generated code passes it: the whole array.
struct Whole {
    explicit Whole(TestSide& test, const char* name) {
        side.text = name;
        side.rank = test.rank();
        subscripts.assign(static_cast<std::size_t>(test.rank()), XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1));
        side.subscripts = subscripts.data();
        test.describe(side);
    }
    Whole(const Whole&) = delete;
    operator const XMP_Side*() const { return &side; }

    XMP_Side side{};
    std::vector<XMP_Triplet> subscripts;
};

void expect_right(std::initializer_list<TestSide*> sides, int round) {
    int place = 0;
    for (TestSide* const side : sides) {
        ASSERT_EQ(side->wrong(), 0) << "argument " << place << ", round " << round << ", node " << my_node();
        ++place;
    }
}

// Indices of the element that stands at `place` in `values`.
std::vector<Index> indices_at(const TestSide& side, Index place) {
    std::vector<Index> indices(static_cast<std::size_t>(side.rank()));
    for (int d = side.rank() - 1; d >= 0; --d) {
        indices[static_cast<std::size_t>(d)] = side.dimension(d).lower + place % side.dimension(d).extent();
        place /= side.dimension(d).extent();
    }
    return indices;
}

// ---- matrices ----

void transpose_values(TestSide& x, const TestSide& a) {
    const Index rows = a.dimension(0).extent(), columns = a.dimension(1).extent();
    const Values before = a.values;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            x.values[static_cast<std::size_t>(j * rows + i)] = before[static_cast<std::size_t>(i * columns + j)];
}

TEST(Arrays, Transpose) {
    Random random(51);
    for (int round = 0; round < many(120) && !HasFailure(); ++round) {
        const ElementType& type = random.one_in(5) ? structure : random_type(random);
        const Shape shape = random.one_in(8) ? Shape{random.between(30, 70), random.between(30, 70)} : random_shape(random, 2);
        const Sides a = random_argument(random, type, shape);
        const Sides other = random_argument(random, type, {shape[1], shape[0]});
        TestSide& x = shape[0] == shape[1] && random.one_in(2) ? *a : *other;
        a->fill(), other->fill();
        XMP_Transpose(XMP_CODE("xmp_transpose"), Whole(x, "x"), Whole(*a, "a"), 0);
        transpose_values(x, *a);
        expect_right({a.get(), other.get()}, round);
    }
}

void multiply_values(TestSide& x, const TestSide& a, const TestSide& b) {
    const auto rows = static_cast<std::size_t>(a.dimension(0).extent()),
               depth = static_cast<std::size_t>(a.dimension(1).extent());
    const auto columns = static_cast<std::size_t>(b.dimension(1).extent());
    const Values left = a.values, right = b.values;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            int sum = 0;
            for (std::size_t k = 0; k < depth; ++k) sum += left[i * depth + k] * right[k * columns + j];
            x.values[i * columns + j] = sum;
        }
}

TEST(Arrays, Matmul) {
    Random random(52);
    for (int round = 0; round < many(80) && !HasFailure(); ++round) {
        const ElementType& type = random_type(random);
        const Index depth = random.one_in(8) ? random.between(250, 530) : random.between(1, 9);  // several panels
        const Shape shape = random.one_in(8) ? Shape{random.between(20, 150), random.between(20, 70)} : random_shape(random, 2);
        const Sides a = random_argument(random, type, {shape[0], depth}), b = random_argument(random, type, {depth, shape[1]});
        const Sides other = random_argument(random, type, shape);
        TestSide& x = shape[0] == depth && shape[1] == depth && random.one_in(2) ? *a : *other;
        a->fill(), b->fill(), other->fill();
        XMP_Matmul(XMP_CODE("xmp_matmul"), Whole(x, "x"), Whole(*a, "a"), Whole(*b, "b"));
        multiply_values(x, *a, *b);
        expect_right({a.get(), b.get(), other.get()}, round);
    }
}

// ---- subscripts ----

const ElementType& random_integer(Random& random) {
    return arithmetic[random.between(0, 3)];
}

// Arrays of subscripts into `named`, of the shape of `shaped`.
struct TestSubscripts {
    TestSubscripts(Random& random, const TestSide& named, const Shape& shape) {
        for (int d = 0; d < named.rank(); ++d) {
            const Dimension& dimension = named.dimension(d);
            const ElementType& type = dimension.lower < 0 ? arithmetic[random.between(2, 3)] : random_integer(random);
            arrays.push_back(random_argument(random, type, shape));
            for (int& value : arrays.back()->values) value = static_cast<int>(random.between(dimension.lower, dimension.upper));
            arrays.back()->fill();
            wholes.push_back(std::make_unique<Whole>(*arrays.back(), "subscripts"));
            sides.push_back(wholes.back()->side);
        }
    }
    std::vector<Index> at(std::size_t place) const {
        std::vector<Index> indices;
        for (const Sides& array : arrays) indices.push_back(array->values[place]);
        return indices;
    }
    int count() const { return static_cast<int>(sides.size()); }

    std::vector<Sides> arrays;
    std::vector<std::unique_ptr<Whole>> wholes;
    std::vector<XMP_Side> sides;
};

TEST(Arrays, Gather) {
    Random random(53);
    for (int round = 0; round < many(80) && !HasFailure(); ++round) {
        const ElementType& type = random.one_in(5) ? structure : random_type(random);
        const Shape shape = random_shape(random, static_cast<int>(random.between(1, 3)));
        const Sides a = random_argument(random, type, random_shape(random, static_cast<int>(random.between(1, 3))));
        const Sides x = random_argument(random, type, shape);
        const TestSubscripts subscripts(random, *a, shape);
        a->fill(), x->fill();
        XMP_Gather(XMP_CODE("xmp_gather"), Whole(*x, "x"), Whole(*a, "a"), subscripts.count(), subscripts.sides.data());
        for (std::size_t place = 0; place < x->values.size(); ++place) x->values[place] = a->value(subscripts.at(place));
        expect_right({x.get(), a.get()}, round);
    }
}

TEST(Arrays, Scatter) {
    Random random(54);
    for (int round = 0; round < many(80) && !HasFailure(); ++round) {
        const ElementType& type = random.one_in(5) ? structure : random_type(random);
        const Shape shape = random_shape(random, static_cast<int>(random.between(1, 3)));
        const Sides a = random_argument(random, type, shape);
        const Sides x = random_argument(random, type, random_shape(random, static_cast<int>(random.between(1, 3))));
        const TestSubscripts subscripts(random, *x, shape);
        x->fill();
        // What goes to one element must be the same: which of two values wins is not said.
        for (std::size_t place = 0; place < a->values.size(); ++place) {
            int& value = x->value(subscripts.at(place));
            if (value < 100) value = 100 + a->values[place] % 27;
            a->values[place] = value;
        }
        a->fill();
        XMP_Scatter(XMP_CODE("xmp_scatter"), Whole(*x, "x"), Whole(*a, "a"), subscripts.count(), subscripts.sides.data());
        expect_right({x.get(), a.get()}, round);
    }
}

// ---- packing ----

// Places in `values`, which has the last dimension fastest, in the array element order of the side's language.
std::vector<Index> places_in_order(const TestSide& side) {
    std::vector<Index> places;
    for (Index place = 0; place < static_cast<Index>(side.values.size()); ++place) places.push_back(place);
    if (side.order() == XMP_COLUMN_MAJOR)
        std::stable_sort(places.begin(), places.end(), [&](Index left, Index right) {
            const std::vector<Index> a = indices_at(side, left), b = indices_at(side, right);
            return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
        });
    return places;
}

TEST(Arrays, PackAndUnpack) {
    Random random(55);
    for (int round = 0; round < many(120) && !HasFailure(); ++round) {
        const ElementType& type = random.one_in(5) ? structure : random_type(random);
        const Shape shape = random_shape(random, static_cast<int>(random.between(1, 3)));
        const Sides a = random_argument(random, type, shape);
        const Sides mask = random_argument(random, random.one_in(2) ? boolean : random_integer(random), shape);
        const bool masked = !random.one_in(4), nothing = random.one_in(10);
        for (int& value : mask->values) value = !nothing && random.one_in(2) ? 1 : 0;
        std::vector<std::size_t> selected;
        for (const Index place : places_in_order(*a))
            if (!masked || mask->values[static_cast<std::size_t>(place)] != 0)
                selected.push_back(static_cast<std::size_t>(place));
        const Sides v =
            random_argument(random, type, {std::max<Index>(1, static_cast<Index>(selected.size()) + random.between(0, 3))});
        a->fill(), mask->fill(), v->fill();
        const Whole chosen(*mask, "mask");
        const XMP_Side* const given = masked ? static_cast<const XMP_Side*>(chosen) : nullptr;
        if (random.one_in(2)) {
            XMP_Pack(XMP_CODE("xmp_pack"), Whole(*v, "v"), Whole(*a, "a"), given);
            for (std::size_t k = 0; k < selected.size(); ++k) v->values[k] = a->values[selected[k]];
        } else {
            XMP_Unpack(XMP_CODE("xmp_unpack"), Whole(*a, "a"), Whole(*v, "v"), given);
            for (std::size_t k = 0; k < selected.size(); ++k) a->values[selected[k]] = v->values[k];
        }
        expect_right({a.get(), v.get(), mask.get()}, round);
    }
}

// ---- sorting ----

TEST(Arrays, Sort) {
    Random random(56);
    for (int round = 0; round < many(80) && !HasFailure(); ++round) {
        const ElementType& type = arithmetic[random.between(0, 5)];  // all but complex numbers
        // Few elements are sorted in another way than many: 32 KiB of them.
        const Shape shape = {random.one_in(5)   ? random.between(8200, 12000)
                             : random.one_in(2) ? random.between(100, 400)
                                                : random.between(1, 20)};
        const Sides v2 = random_argument(random, type, shape), other = random_argument(random, type, shape);
        TestSide& v1 = random.one_in(3) ? *v2 : *other;
        if (random.one_in(3))
            for (int& value : v2->values) value = static_cast<int>(random.between(0, 2));  // many equal ones
        v2->fill(), other->fill();
        const bool descending = random.one_in(2);
        XMP_Sort(XMP_CODE("xmp_sort"), Whole(v1, "v1"), Whole(*v2, "v2"), descending);
        v1.values = v2->values;
        std::sort(v1.values.begin(), v1.values.end());
        if (descending) std::reverse(v1.values.begin(), v1.values.end());
        expect_right({v2.get(), other.get()}, round);
    }
}

TEST(Arrays, NotANumberComesLast) {
    constexpr int count = 50;
    double values[count], sorted[count];
    for (int i = 0; i < count; ++i) values[i] = i % 3 == 0 ? std::nan("") : (i * 7) % count;
    const XMP_Index extent = count, stride = sizeof(double);
    const XMP_Triplet all = XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1);
    const XMP_Side from = {"v2", nullptr, values, XMP_TYPE_DOUBLE, sizeof(double), 1, &all, &extent, &stride, 0};
    const XMP_Side to = {"v1", nullptr, sorted, XMP_TYPE_DOUBLE, sizeof(double), 1, &all, &extent, &stride, 0};
    for (const bool descending : {false, true}) {
        XMP_Sort(XMP_CODE("xmp_sort"), &to, &from, descending);
        constexpr int numbers = count - (count + 2) / 3;
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(std::isnan(sorted[i]), i >= numbers) << i;
            if (i > 0 && i < numbers) {
                ASSERT_TRUE(descending ? sorted[i] < sorted[i - 1] : sorted[i] > sorted[i - 1]) << i;
            }
        }
    }
}

// ---- wrong arguments ----

template <typename Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(Arrays, WrongArgumentsAreNamed) {
    using namespace arrays;
    Random random(57);
    const ElementType &ints = arithmetic[2], &doubles = arithmetic[5], &complex = arithmetic[6];
    TestArray matrix(random, doubles, Shape{4, 6}), square(random, doubles, Shape{4, 4}), line(random, ints, Shape{5}),
        longer(random, ints, Shape{6}), pairs(random, complex, Shape{5}), structures(random, structure, Shape{4, 4});
    for (TestSide* side : {static_cast<TestSide*>(&matrix), static_cast<TestSide*>(&line), static_cast<TestSide*>(&longer)}) {
        side->draw_values(random);
        for (int& value : side->values) value = 1000;
        side->fill();
    }
    const Whole m(matrix, "m"), s(square, "s"), l(line, "l"), k(longer, "k"), c(pairs, "c"), o(structures, "o");
    const Operand om(*m), os(*s), ol(*l), ok(*k), oc(*c), oo(*o);
    EXPECT_EQ(message_of([&] { transpose(om, om); }), "m is 4 x 6, but the transpose of m is 6 x 4");
    EXPECT_EQ(message_of([&] { transpose(os, oo); }), "s has elements of type double, but o of type structures of 12 bytes");
    EXPECT_EQ(message_of([&] { transpose(ol, om); }), "l has 1 dimension, but must have 2");
    EXPECT_EQ(message_of([&] { matmul(os, om, os); }), "m is 4 x 6, and s is 4 x 4");
    EXPECT_EQ(message_of([&] { matmul(os, os, om); }), "s is 4 x 4, but the product of s and m is 4 x 6");
    EXPECT_EQ(message_of([&] { matmul(oo, oo, oo); }), "o has elements of type structures of 12 bytes, which are no numbers");
    EXPECT_EQ(message_of([&] { arrays::sort(ol, ok, false); }), "l is 5, but k is 6");
    EXPECT_EQ(message_of([&] { arrays::sort(oc, oc, false); }), "c has elements of type double _Complex, which have no order");
    EXPECT_EQ(message_of([&] { gather(ol, ok, {}); }), "k has 1 dimension, but 0 arrays of subscripts are given");
    EXPECT_EQ(message_of([&] { gather(os, om, {om, om}); }), "the subscripts in m have the type double");
    EXPECT_EQ(message_of([&] { gather(ol, ok, {ok}); }), "k is 6, but l is 5");
    EXPECT_EQ(message_of([&] { pack(ol, ok, nullptr); }), "l has 5 elements, but 6 of k are selected");
    EXPECT_EQ(message_of([&] { pack(ok, ok, &ol); }), "l is 5, but k is 6");
    EXPECT_EQ(message_of([&] { unpack(oc, oc, &oc); }), "c has elements that are neither true nor false");
    Whole part(matrix, "m[0:4][1:5]");
    part.subscripts[1] = XMP_TRIPLET(matrix.dimension(1).lower + 1, 5, 1);
    EXPECT_EQ(message_of([&] { Operand{*part}; }), "m[0:4][1:5] is only a part of its array in dimension 2");
}

// Who finds it tells; the others do not wait for it here, so each node of up to eight has some of the 56 elements.
TEST(Arrays, SubscriptsOutsideAreTold) {
    Random random(58);
    TestMemory table(random, arithmetic[2], Shape{5}), result(random, arithmetic[2], Shape{56}),
        subscripts(random, arithmetic[2], Shape{56});
    for (TestSide* side : {&table, &result, &subscripts}) side->draw_values(random);
    for (int& value : subscripts.values) value = 5;
    for (TestSide* side : {&table, &result, &subscripts}) side->fill();
    const Whole t(table, "t"), r(result, "r"), s(subscripts, "s");
    EXPECT_EQ(message_of([&] { arrays::gather(arrays::Operand(*r), arrays::Operand(*t), {arrays::Operand(*s)}); }),
              "s contains 5, but dimension 1 of t has the subscripts 0 to 4");
}

}  // namespace
}  // namespace kumihimo::test
