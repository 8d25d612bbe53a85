// Every operator for every type against a serial combination over the nodes; reduction clauses on multi-dimensional grids;
// first and last extremes with ties.
#include <complex>
#include <cstring>
#include <limits>

#include "program.hpp"
#include "runtime/teams/operation.hpp"

namespace kumihimo::test {
namespace {

template <typename T>
T value_of(int node, int i) {
    return static_cast<T>((node * 7 + i * 3) % 5 + (node + i) % 2);
}

template <typename T>
bool is_true(T value) {
    return value != T{};
}

// The operator as the languages define it. Exact in every type: small whole numbers.
template <typename T>
T serial(int operation, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        if (operation == XMP_BAND) return static_cast<T>(a & b);
        if (operation == XMP_BOR) return static_cast<T>(a | b);
        if (operation == XMP_BXOR) return static_cast<T>(a ^ b);
    }
    if (operation == XMP_SUM) return static_cast<T>(a + b);
    if (operation == XMP_PRODUCT) return static_cast<T>(a * b);
    if (operation == XMP_LAND) return static_cast<T>(is_true(a) && is_true(b));
    if (operation == XMP_LOR) return static_cast<T>(is_true(a) || is_true(b));
    if (operation == XMP_EQV) return static_cast<T>(is_true(a) == is_true(b));
    if (operation == XMP_NEQV) return static_cast<T>(is_true(a) != is_true(b));
    if constexpr (requires { a < b; }) {
        if (operation == XMP_MAX) return a < b ? b : a;
        if (operation == XMP_MIN) return b < a ? b : a;
    }
    ADD_FAILURE() << "operator " << operation;
    return a;
}

template <typename T>
void check_operator(int operation, int type, int count, bool async) {
    std::vector<T> mine, expected;
    for (int i = 0; i < count; ++i) {
        mine.push_back(value_of<T>(my_node(), i));
        T all = value_of<T>(0, i);
        for (int node = 1; node < nodes_in_all(); ++node) all = serial(operation, all, value_of<T>(node, i));
        expected.push_back(all);
    }
    const int id = operation;
    // std::vector<bool> has no storage of bools
    std::unique_ptr<T[]> values(new T[mine.size()]);
    std::copy(mine.begin(), mine.end(), values.get());
    XMP_Reduction(XMP_SITE("reduction"), nullptr, operation, type, mine.size(), values.get(), async ? &id : nullptr);
    if (async) XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
    int wrong = 0;
    // One node alone has nothing to combine: logical operators leave its value as it is.
    for (int i = 0; i < count; ++i) wrong += values[i] != static_cast<T>(expected[i]);
    EXPECT_EQ(wrong, 0) << "operator " << operation << " type " << type << " count " << count;
}

template <typename T>
void check_type(int type, const std::vector<int>& operators) {
    for (const int operation : operators)
        for (const int count : {1, 100}) check_operator<T>(operation, type, count, false);
    // Through MPI: what is large or asynchronous.
    check_operator<T>(operators.front(), type, 5000, false);
    check_operator<T>(operators.back(), type, 100, true);
}

TEST(Reduction, EveryOperatorAndType) {
    const std::vector<int> arithmetic = {XMP_SUM, XMP_PRODUCT, XMP_LAND, XMP_LOR, XMP_EQV, XMP_NEQV, XMP_MAX, XMP_MIN};
    std::vector<int> integer = arithmetic;
    integer.insert(integer.end(), {XMP_BAND, XMP_BOR, XMP_BXOR});
    check_type<bool>(XMP_TYPE_BOOL, integer);
    check_type<char>(XMP_TYPE_CHAR, integer);
    check_type<signed char>(XMP_TYPE_SCHAR, integer);
    check_type<unsigned char>(XMP_TYPE_UCHAR, integer);
    check_type<short>(XMP_TYPE_SHORT, integer);
    check_type<unsigned short>(XMP_TYPE_USHORT, integer);
    check_type<int>(XMP_TYPE_INT, integer);
    check_type<unsigned>(XMP_TYPE_UINT, integer);
    check_type<long>(XMP_TYPE_LONG, integer);
    check_type<unsigned long>(XMP_TYPE_ULONG, integer);
    check_type<long long>(XMP_TYPE_LONGLONG, integer);
    check_type<unsigned long long>(XMP_TYPE_ULONGLONG, integer);
    check_type<float>(XMP_TYPE_FLOAT, arithmetic);
    check_type<double>(XMP_TYPE_DOUBLE, arithmetic);
    check_type<long double>(XMP_TYPE_LONGDOUBLE, arithmetic);
    check_type<std::complex<float>>(XMP_TYPE_FLOAT_COMPLEX, {XMP_SUM, XMP_PRODUCT});
    check_type<std::complex<double>>(XMP_TYPE_DOUBLE_COMPLEX, {XMP_SUM, XMP_PRODUCT});
    check_type<std::complex<long double>>(XMP_TYPE_LONGDOUBLE_COMPLEX, {XMP_SUM, XMP_PRODUCT});
    check_type<int>(XMP_TYPE_LOGICAL, {XMP_LAND, XMP_LOR, XMP_EQV, XMP_NEQV});
}

TEST(Reduction, MeaninglessOperatorsAreRefused) {
    EXPECT_THROW(teams::operation_of(XMP_BAND, XMP_TYPE_DOUBLE), std::exception);
    EXPECT_THROW(teams::operation_of(XMP_MAX, XMP_TYPE_DOUBLE_COMPLEX), std::exception);
    EXPECT_THROW(teams::operation_of(XMP_SUM, XMP_TYPE_LOGICAL), std::exception);
    EXPECT_THROW(teams::operation_of(XMP_SUM, XMP_TYPE_OTHER), std::exception);
    EXPECT_THROW(teams::located_operation(XMP_MAX, XMP_TYPE_INT), std::exception);
}

// The sum does not depend on which node computes it or when, to the last bit.
TEST(Reduction, EqualOnAllNodesAndInEveryRun) {
    const double mine = 1.0 / (3 + my_node());
    std::vector<double> sums(50, mine);
    for (double& sum : sums) XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_DOUBLE, 1, &sum, nullptr);
    double of_first = sums[0];
    MPI_Bcast(&of_first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (const double sum : sums) EXPECT_EQ(sum, of_first);
}

// loop (i, j) on t(i, j), on t(:, j) and so on: the sum over the indexed dimensions of a value of each node.
TEST(Reduction, ClauseReachesAlongIndexedDimensionsOnly) {
    Random random(20);
    for (int round = 0; round < rounds(40); ++round) {
        const std::vector<Index> grid = random_grid(random, 3);
        XMP_Nodes* nodes = declare_nodes(grid, random.one_in(2) ? XMP_ROW_MAJOR : XMP_COLUMN_MAJOR);
        const auto rank = static_cast<int>(grid.size());
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Format> formats;
        std::vector<int> along;
        for (int g = rank - 1; g >= 0; --g) {
            along.push_back(g);
            bounds.push_back({0, 2 * grid[g] - 1});
            formats.push_back(random.one_in(2) ? XMP_Format XMP_FORMAT_BLOCK(g, 0) : XMP_Format XMP_FORMAT_CYCLIC(g, 1));
        }
        XMP_Template* target = declare_template(nodes, bounds, formats);
        unsigned indexed = 0, grid_indexed = 0;
        std::vector<XMP_Range> subscripts;
        std::vector<Index> wanted(grid.size(), -1);  // a coordinate that a scalar subscript asks for
        for (std::size_t d = 0; d < along.size(); ++d) {
            const Index kind = random.between(0, 3);
            const Index at = random.between(0, bounds[d].upper);
            subscripts.push_back(kind == 2 ? XMP_Range XMP_AT(at) : kind == 3 ? XMP_Range XMP_OWN : XMP_Range XMP_ALL);
            if (kind == 0) indexed |= 1u << d, grid_indexed |= 1u << along[d];
            if (kind == 2) wanted[along[d]] = target->mapping->dimension(static_cast<int>(d)).owner(at);
        }
        const XMP_On on = {target, static_cast<int>(along.size()), subscripts.data()};
        const auto value = [](int node) { return static_cast<long>(node) * node + 1; };
        long expected = 100, sum = 100;
        bool part = true;
        for (int g = 0; g < rank; ++g) part = part && (wanted[g] < 0 || wanted[g] == nodes->coordinates[g]);
        for (int node = 0; node < nodes_in_all() && part; ++node) {
            const std::vector<Index> there = nodes->grid.coordinates(node);
            bool together = true;
            for (int g = 0; g < rank; ++g)
                together = together && ((grid_indexed >> g & 1u) || there[g] == nodes->coordinates[g]);
            if (together) expected += value(node);
        }
        const long partial = value(my_node());
        XMP_Loop_reduction(XMP_SITE("loop"), &on, indexed, XMP_SUM, XMP_TYPE_LONG, 1, &partial, &sum);
        EXPECT_EQ(sum, expected) << "round " << round;

        // The set that executes this node's iterations: the rest of what the clause names.
        int together = 0;
        XMP_Task task = XMP_Loop_set(XMP_SITE("loop"), &on, indexed, 1);
        EXPECT_EQ(task.member, part);
        if (part) {
            int one = 1;
            XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_INT, 1, &one, nullptr);
            together = one;
        }
        XMP_Task_leave(&task);
        Index size = 1;
        for (int g = 0, d; g < rank; ++g) {
            for (d = 0; d < static_cast<int>(along.size()) && along[d] != g;) ++d;
            const bool named = d < static_cast<int>(along.size());
            const bool single = named && ((indexed >> d & 1u) || subscripts[d].kind != XMP_SUBSCRIPT_ALL);
            if (!single) size *= grid[g];
        }
        EXPECT_EQ(together, part ? size : 0) << "round " << round;
        XMP_Template_release(&target);
        XMP_Nodes_release(&nodes);
    }
}

struct Extreme {
    int operation;
    bool greatest, last;
};

// The serial loop `if (a[i] > m) { m = a[i]; at = i; }` (>= for last..., < for min) over random values with many ties.
template <typename T>
void check_extremes(int type, unsigned stream) {
    Random random(stream);
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    const Extreme extremes[] = {
        {XMP_FIRSTMAX, true, false}, {XMP_FIRSTMIN, false, false}, {XMP_LASTMAX, true, true}, {XMP_LASTMIN, false, true}};
    for (int round = 0; round < rounds(20); ++round)
        for (const Extreme& extreme : extremes) {
            const Index extent = random.between(1, 30);
            XMP_Template* target = declare_template(nodes, {{0, extent - 1}}, {XMP_FORMAT_CYCLIC(0, 1)});
            std::vector<T> a;
            for (Index i = 0; i < extent; ++i) a.push_back(static_cast<T>(random.between(1, 4)));
            const auto before = static_cast<T>(random.between(0, 5));
            const auto wins = [&](T value, T best) {
                if (extreme.last && value == best) return true;
                return extreme.greatest ? best < value : value < best;
            };
            T expected = before;
            int expected_at = -7;
            double expected_twice = -14;
            for (Index i = extent - 1, number = 0; i >= 0; --i, ++number)  // a loop that runs downwards
                if (wins(a[i], expected))
                    expected = a[i], expected_at = static_cast<int>(i), expected_twice = 2.0 * static_cast<double>(i);

            T value = before;
            int at = -7;
            double twice = -14;
            T partial = extreme.greatest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
            int partial_at = 0;
            double partial_twice = 0;
            Index iteration = -1;
            const XMP_Iterations mine = XMP_Loop(XMP_SITE("loop"), target, 0, extent - 1, 0, -1, 0);
            for (Index k = 0; k < mine.count; ++k) {
                const Index i = mine.first + k * mine.step;
                if (wins(a[i], partial))
                    partial = a[i], partial_at = static_cast<int>(i), partial_twice = 2.0 * static_cast<double>(i),
                    iteration = extent - 1 - i;
            }
            const XMP_Location locations[] = {{&partial_at, &at, sizeof at}, {&partial_twice, &twice, sizeof twice}};
            XMP_Loop_reduction_located(XMP_SITE("loop"), On(target, {XMP_ALL}), 1u, extreme.operation, type, &partial, &value,
                                       iteration, 2, locations);
            EXPECT_EQ(value, expected);
            EXPECT_EQ(at, expected_at) << "operator " << extreme.operation << " round " << round;
            EXPECT_EQ(twice, expected_twice);
            XMP_Template_release(&target);
        }
    XMP_Nodes_release(&nodes);
}

TEST(Reduction, FirstAndLastExtremes) {
    check_extremes<int>(XMP_TYPE_INT, 21);
    check_extremes<double>(XMP_TYPE_DOUBLE, 22);
    check_extremes<unsigned char>(XMP_TYPE_UCHAR, 23);
    check_extremes<long double>(XMP_TYPE_LONGDOUBLE, 24);
}

TEST(Reduction, NoIterationLeavesLocationsAlone) {
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    double value = 3, partial = -1e300;
    int at = 9, partial_at = 1;
    const XMP_Location location = {&partial_at, &at, sizeof at};
    XMP_Loop_reduction_located(XMP_SITE("loop"), On(nodes, {XMP_ALL}), 1u, XMP_FIRSTMAX, XMP_TYPE_DOUBLE, &partial, &value, -1,
                               1, &location);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(at, 9);
    XMP_Nodes_release(&nodes);
}

}  // namespace
}  // namespace kumihimo::test
