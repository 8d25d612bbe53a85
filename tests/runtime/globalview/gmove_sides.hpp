// The sides of a gmove as a test sees them: memory or a distributed array of random layout, with the values of all elements as
// the serial model knows them.
#pragma once

#include <complex>
#include <cstring>
#include <functional>

#include "tests/runtime/globalview/program.hpp"

namespace kumihimo::test {

using Values = std::vector<int>;  // of all elements, the last dimension fastest; small: exact in every type

// ---- element types ----

struct ElementType {
    int type;
    std::size_t bytes;
    void (*write)(void* place, int value);
};
template <typename T>
void write_as(void* place, int value) {
    const T element = static_cast<T>(value);
    std::memcpy(place, &element, sizeof(T));
}
template <typename T>
void write_complex(void* place, int value) {
    const std::complex<T> element(static_cast<T>(value));
    std::memcpy(place, &element, sizeof element);
}
inline void write_structure(void* place, int value) {
    const int element[3] = {value, value + 1, value + 2};
    std::memcpy(place, element, sizeof element);
}
inline constexpr ElementType structure = {XMP_TYPE_OTHER, 12, write_structure};
inline constexpr ElementType boolean = {XMP_TYPE_BOOL, 1, write_as<bool>};
inline constexpr ElementType arithmetic[] = {{XMP_TYPE_SCHAR, 1, write_as<signed char>},
                                             {XMP_TYPE_USHORT, 2, write_as<unsigned short>},
                                             {XMP_TYPE_INT, 4, write_as<int>},
                                             {XMP_TYPE_LONG, 8, write_as<long>},
                                             {XMP_TYPE_FLOAT, 4, write_as<float>},
                                             {XMP_TYPE_DOUBLE, 8, write_as<double>},
                                             {XMP_TYPE_DOUBLE_COMPLEX, 16, write_complex<double>}};
inline const ElementType& random_type(Random& random) {
    return arithmetic[random.between(0, std::size(arithmetic) - 1)];
}

// ---- sides ----

struct Dimension {
    Index lower = 0, upper = 0;
    Index extent() const { return upper - lower + 1; }
};
using Shape = std::vector<Index>;  // extents

inline Shape random_shape(Random& random, int rank) {
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(random.between(1, 9));
    return shape;
}

// What both kinds of sides share: the index space, and all values as the serial model knows them.
class TestSide {
public:
    explicit TestSide(const ElementType& element) : element_(element) {}
    virtual ~TestSide() = default;
    TestSide(const TestSide&) = delete;

    virtual void fill() = 0;  // memory from the values
    virtual int wrong() = 0;  // elements in memory that differ from the values
    virtual void describe(XMP_Side& side) = 0;
    virtual int order() const { return XMP_ROW_MAJOR; }

    int rank() const { return static_cast<int>(dimension_.size()); }
    const Dimension& dimension(int d) const { return dimension_[static_cast<std::size_t>(d)]; }
    const ElementType& element() const { return element_; }
    void draw_values(Random& random) {
        Index count = 1;
        for (const Dimension& one : dimension_) count *= one.extent();
        values.resize(static_cast<std::size_t>(count));
        for (int& value : values) value = static_cast<int>(random.between(0, 99));
    }
    int& value(const std::vector<Index>& indices) {
        Index place = 0;
        for (int d = 0; d < rank(); ++d)
            place = place * dimension(d).extent() + indices[static_cast<std::size_t>(d)] - dimension(d).lower;
        return values[static_cast<std::size_t>(place)];
    }
    Values values;

protected:
    bool holds(const void* place, int expected) const {
        std::byte bytes[16];
        element_.write(bytes, expected);
        return std::memcmp(place, bytes, element_.bytes) == 0;
    }
    std::vector<Dimension> dimension_;
    const ElementType& element_;
};

class TestMemory final : public TestSide {
public:
    TestMemory(Random& random, const ElementType& element, int rank)
        : TestMemory(random, element, random_shape(random, rank)) {}
    TestMemory(Random& random, const ElementType& element, const Shape& shape) : TestSide(element) {
        const auto rank = static_cast<int>(shape.size());
        for (const Index extent : shape) dimension_.push_back({0, extent - 1});
        strides_.resize(dimension_.size());
        extents_.resize(dimension_.size());
        auto stride = static_cast<Index>(element.bytes);
        for (int d = rank - 1; d >= 0; --d) {
            const auto place = static_cast<std::size_t>(d);
            strides_[place] = stride;
            extents_[place] = dimension(d).extent();
            stride *= dimension(d).extent() + random.between(0, 1);  // rows of a larger array
        }
        memory_.resize(static_cast<std::size_t>(stride));
    }
    void fill() override {
        std::memset(memory_.data(), untouched, memory_.size());
        visit([&](std::byte* place, int value) { element_.write(place, value); });
    }
    int wrong() override {
        int count = 0;
        visit([&](std::byte* place, int value) { count += !holds(place, value); });
        return count;
    }
    void describe(XMP_Side& side) override {
        side.address = memory_.data();
        side.type = element_.type;
        side.element_bytes = element_.bytes;
        side.extents = extents_.data();
        side.strides = strides_.data();
    }

private:
    void visit(const std::function<void(std::byte*, int)>& use) {
        std::vector<Index> indices(dimension_.size(), 0);
        for (const int value : values) {
            std::byte* place = memory_.data();
            for (std::size_t d = 0; d < indices.size(); ++d) place += indices[d] * strides_[d];
            use(place, value);
            for (int d = rank() - 1; d >= 0 && ++indices[static_cast<std::size_t>(d)] > dimension(d).upper; --d)
                indices[static_cast<std::size_t>(d)] = 0;
        }
    }
    std::vector<Index> strides_, extents_;
    std::vector<std::byte> memory_;
};

class TestArray final : public TestSide {
public:
    // On some of the executing nodes at random, or all.
    TestArray(Random& random, const ElementType& element, int rank) : TestArray(random, element, rank, nullptr) {}
    TestArray(Random& random, const ElementType& element, const Shape& shape)
        : TestArray(random, element, static_cast<int>(shape.size()), &shape) {}
    TestArray(Random& random, const ElementType& element, int rank, const Shape* shape)
        : TestArray(random, element, rank, shape, 0, xmp_num_nodes() - 1) {}
    // ... of nodes `begin` to `end` of the executing ones.
    TestArray(Random& random, const ElementType& element, int rank, const Shape* shape, Index begin, Index end)
        : TestSide(element) {
        const Index executing = xmp_num_nodes(), most = end - begin + 1;
        const Index count = random.one_in(3) ? random.between(1, most) : most;
        const Index first = begin + random.between(0, most - count);
        const std::vector<Index> grid = random_grid(random, 3, count);
        declare_nodes_on(first, count, executing, grid);
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Format> formats;
        for (std::size_t g = 0; g < grid.size(); ++g) {
            target_dimension_.push_back(TestDimension::random(random, grid[g], 14, longest(shape)));
            bounds.push_back({target_dimension_[g].lower, target_dimension_[g].upper});
        }
        for (std::size_t g = 0; g < grid.size(); ++g) formats.push_back(target_dimension_[g].format(static_cast<int>(g)));
        target_ = declare_template(nodes_, bounds, formats);
        declare_array(random, rank, shape);
    }
    ~TestArray() override {
        XMP_Array_release(&array_);
        XMP_Template_release(&target_);
        XMP_Nodes_release(&nodes_);
        XMP_Nodes_release(&whole_);
    }
    void fill() override {
        visit([&](std::byte* place, const std::vector<Index>& indices, bool owned) {
            if (owned)
                element_.write(place, value(indices));
            else
                std::memset(place, untouched, element_.bytes);
        });
    }
    int wrong() override {
        int count = 0;
        std::byte shadow[16];
        std::memset(shadow, untouched, sizeof shadow);
        visit([&](std::byte* place, const std::vector<Index>& indices, bool owned) {
            count += owned ? !holds(place, value(indices)) : std::memcmp(place, shadow, element_.bytes) != 0;
        });
        return count;
    }
    void describe(XMP_Side& side) override { side.array = array_; }
    int order() const override { return order_; }

private:
    struct Mapped {
        int onto = -1;
        Index offset = 0;
        XMP_Width shadow{0, 0, XMP_WIDTH_PLAIN};
    };

    void declare_nodes_on(Index first, Index count, Index executing, const std::vector<Index>& grid) {
        whole_ = XMP_Nodes_declare(XMP_SITE("nodes e"), "e", XMP_ROW_MAJOR, 1, &executing, XMP_NODES_EXECUTING, nullptr);
        const On part(whole_, {XMP_FROM_TO(first, first + count - 1, 1)});
        nodes_ = XMP_Nodes_declare(XMP_SITE("nodes p"), "p", XMP_ROW_MAJOR, static_cast<int>(grid.size()), grid.data(),
                                   XMP_NODES_PART, part);
    }

    static Index longest(const Shape* shape) { return shape == nullptr ? 1 : *std::max_element(shape->begin(), shape->end()); }

    void declare_array(Random& random, int rank, const Shape* shape) {
        std::vector<int> free;
        for (std::size_t g = 0; g < target_dimension_.size(); ++g) free.push_back(static_cast<int>(g));
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Align> align;
        std::vector<XMP_Width> shadow;
        for (int d = 0; d < rank; ++d) {
            Mapped mapped;
            Dimension one{random.between(-2, 2), 0};
            const Index wanted = shape == nullptr ? 0 : (*shape)[static_cast<std::size_t>(d)];
            one.upper = one.lower + (shape == nullptr ? random.between(1, 9) : wanted) - 1;
            if (!free.empty() && !random.one_in(4)) {
                const auto choice = static_cast<std::size_t>(random.between(0, static_cast<Index>(free.size()) - 1));
                mapped.onto = free[choice];
                free.erase(free.begin() + static_cast<std::ptrdiff_t>(choice));
                mapped.offset = random.between(-3, 3);
                const TestDimension& target = on(mapped);
                const Index last = shape == nullptr ? target.upper : target.upper - wanted + 1;
                one.lower = (random.one_in(2) ? target.lower : random.between(target.lower, last)) - mapped.offset;
                one.upper =
                    random.one_in(2) ? target.upper - mapped.offset : random.between(one.lower, target.upper - mapped.offset);
                if (shape != nullptr) one.upper = one.lower + wanted - 1;
            }
            if (random.one_in(6))
                mapped.shadow.modifier = XMP_WIDTH_FULL;
            else if (random.one_in(2) && (mapped.onto < 0 || on(mapped).kind != XMP_CYCLIC))
                mapped.shadow = {random.between(0, 2), random.between(0, 2), XMP_WIDTH_PLAIN};
            dimension_.push_back(one);
            mapped_.push_back(mapped);
            bounds.push_back({one.lower, one.upper});
            align.push_back({mapped.onto, mapped.offset});
            shadow.push_back(mapped.shadow);
        }
        order_ = random.one_in(3) ? XMP_COLUMN_MAJOR : XMP_ROW_MAJOR;
        array_ = XMP_Array_declare(XMP_SITE("align a"), "a", order_, element_.type, element_.bytes, rank, bounds.data(),
                                   target_, align.data(), shadow.data());
    }

    const TestDimension& on(const Mapped& mapped) const { return target_dimension_[static_cast<std::size_t>(mapped.onto)]; }

    bool owned(int d, Index index) const {
        const Mapped& mapped = mapped_[static_cast<std::size_t>(d)];
        if (index < dimension(d).lower || index > dimension(d).upper) return false;
        return mapped.onto < 0 ||
               on(mapped).owner(index + mapped.offset) == nodes_->coordinates[static_cast<std::size_t>(mapped.onto)];
    }

    // Indices at the places of this node's block along d; shadow included.
    std::vector<Index> stored(int d) const {
        const Mapped& mapped = mapped_[static_cast<std::size_t>(d)];
        std::vector<Index> list;
        for (Index i = dimension(d).lower; i <= dimension(d).upper; ++i)
            if (mapped.shadow.modifier == XMP_WIDTH_FULL || owned(d, i)) list.push_back(i);
        if (mapped.shadow.modifier == XMP_WIDTH_FULL || list.empty()) return list;
        // Beyond the owned ones; marked as nobody's, since they may be equal to indices that others own.
        list.insert(list.begin(), static_cast<std::size_t>(mapped.shadow.lower), dimension(d).lower - 1);
        list.insert(list.end(), static_cast<std::size_t>(mapped.shadow.upper), dimension(d).lower - 1);
        return list;
    }

    void visit(const std::function<void(std::byte*, const std::vector<Index>&, bool)>& use) {
        if (!nodes_->member()) return;
        std::vector<std::vector<Index>> lists;
        for (int d = 0; d < rank(); ++d) {
            lists.push_back(stored(d));
            if (lists.back().empty()) return;
        }
        std::vector<std::size_t> at(lists.size(), 0);
        auto* place = static_cast<std::byte*>(array_->base);
        while (true) {
            std::vector<Index> indices;
            bool mine = true;
            for (int d = 0; d < rank(); ++d) {
                indices.push_back(lists[static_cast<std::size_t>(d)][at[static_cast<std::size_t>(d)]]);
                mine = mine && owned(d, indices.back());
            }
            use(place, indices, mine);
            place += element_.bytes;
            int step = 0;
            for (; step < rank(); ++step) {
                const auto d = static_cast<std::size_t>(order_ == XMP_ROW_MAJOR ? rank() - 1 - step : step);
                if (++at[d] < lists[d].size()) break;
                at[d] = 0;
            }
            if (step == rank()) return;
        }
    }

    XMP_Nodes *whole_ = nullptr, *nodes_ = nullptr;
    XMP_Template* target_ = nullptr;
    std::vector<TestDimension> target_dimension_;
    std::vector<Mapped> mapped_;
    int order_ = XMP_ROW_MAJOR;
    XMP_Array* array_ = nullptr;
};

// ---- assignments ----

struct Sections {
    std::vector<XMP_Triplet> left, right;
};

inline XMP_Triplet random_section(Random& random, const Dimension& dimension, Index count) {
    if (count == dimension.extent() && random.one_in(2)) return XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1);
    const Index most = count > 1 ? (dimension.extent() - 1) / (count - 1) : 3;
    const Index step = random.between(1, most), span = count > 0 ? (count - 1) * step : 0;
    const Index first = dimension.lower + random.between(0, dimension.extent() - 1 - span);
    return random.one_in(3) ? XMP_Triplet{1, first + span, count, -step} : XMP_Triplet{1, first, count, step};
}

// Which dimensions are sections: `count` of them, in order.
inline std::vector<bool> choose_sections(Random& random, int rank, int count) {
    std::vector<bool> chosen(static_cast<std::size_t>(rank), false);
    for (int k = 0; k < count;) {
        const auto d = static_cast<std::size_t>(random.between(0, rank - 1));
        if (chosen[d]) continue;
        chosen[d] = true;
        ++k;
    }
    return chosen;
}

inline Sections random_sections(Random& random, const TestSide& left, const TestSide& right) {
    const auto count = static_cast<int>(random.one_in(4) ? random.between(0, std::min(left.rank(), right.rank()))
                                                         : std::min(left.rank(), right.rank()));
    const bool spread = count > 0 && random.one_in(6);  // one element goes to all of the left side's
    const std::vector<bool> to = choose_sections(random, left.rank(), count);
    const std::vector<bool> from = choose_sections(random, right.rank(), spread ? 0 : count);
    Sections sections;
    for (int d = 0; d < left.rank(); ++d)
        sections.left.push_back(XMP_INDEX(random.between(left.dimension(d).lower, left.dimension(d).upper)));
    for (int d = 0; d < right.rank(); ++d)
        sections.right.push_back(XMP_INDEX(random.between(right.dimension(d).lower, right.dimension(d).upper)));
    for (std::size_t d = 0, e = 0; d < to.size(); ++d) {
        if (!to[d]) continue;
        while (!spread && !from[e]) ++e;
        const Dimension& mine = left.dimension(static_cast<int>(d));
        Index most = mine.extent();
        if (!spread) most = std::min(most, right.dimension(static_cast<int>(e)).extent());
        const Index length = random.one_in(2) ? most : random.between(random.one_in(5) ? 0 : 1, most);
        sections.left[d] = random_section(random, mine, length);
        if (spread) continue;
        sections.right[e] = random_section(random, right.dimension(static_cast<int>(e)), length);
        ++e;
    }
    return sections;
}

// The same sections at other indices.
inline void draw_indices(Random& random, const TestSide& side, std::vector<XMP_Triplet>& triplets) {
    for (std::size_t d = 0; d < triplets.size(); ++d) {
        const Dimension& dimension = side.dimension(static_cast<int>(d));
        if (triplets[d].section == 0) triplets[d] = XMP_INDEX(random.between(dimension.lower, dimension.upper));
    }
}

inline Index length_of(const XMP_Triplet& triplet, const Dimension& dimension) {
    return triplet.section == 0 ? 1 : triplet.length == XMP_OPEN ? dimension.extent() : triplet.length;
}

// Index of each dimension for each position, the first dimension slowest.
inline std::vector<std::vector<Index>> elements(const TestSide& side, const std::vector<XMP_Triplet>& triplets) {
    std::vector<std::vector<Index>> list(1);
    for (std::size_t d = 0; d < triplets.size(); ++d) {
        const Dimension& dimension = side.dimension(static_cast<int>(d));
        const Index first = triplets[d].first == XMP_OPEN ? dimension.lower : triplets[d].first;
        std::vector<std::vector<Index>> longer;
        for (const auto& indices : list)
            for (Index k = 0; k < length_of(triplets[d], dimension); ++k) {
                longer.push_back(indices);
                longer.back().push_back(first + k * triplets[d].step);
            }
        list = std::move(longer);
    }
    return list;
}

inline void assign(TestSide& left, TestSide& right, const Sections& sections) {
    const auto to = elements(left, sections.left), from = elements(right, sections.right);
    std::vector<int> read;
    for (const auto& indices : from) read.push_back(right.value(indices));
    for (std::size_t k = 0; k < to.size(); ++k) left.value(to[k]) = read[read.size() == 1 ? 0 : k];
}

// Calls a gmove of the runtime. async: null, or the id of one that wait_async ends.
inline void call_gmove(decltype(XMP_Gmove)* function, TestSide& left, TestSide& right, const Sections& sections,
                       const int* async) {
    XMP_Side to{}, from{};
    to.text = "left", from.text = "right";
    to.rank = left.rank(), from.rank = right.rank();
    to.subscripts = sections.left.data(), from.subscripts = sections.right.data();
    left.describe(to);
    right.describe(from);
    function(XMP_SITE("gmove"), &to, &from, async);
}

inline void wait_async(int id) {
    XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
}

}  // namespace kumihimo::test
