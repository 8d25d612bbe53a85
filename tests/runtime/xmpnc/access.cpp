// Every form of access, kind of call and type on random arrays and sections, in all three file formats. The oracle is one
// process that reads and writes the same file through PnetCDF's plain calls on MPI_COMM_SELF.
#include <filesystem>
#include <functional>
#include <memory>

#include "kumihimo/xmpnc.h"
#include "layout.hpp"
#include "tests/support/long_form.hpp"

using namespace layout;

namespace {

// The functions of one form and type; Args are what stands behind ncid and varid.
template <typename... Args>
struct Alone {
    int (*put_all)(int, int, Args...), (*put)(int, int, Args...), (*get_all)(int, int, Args...), (*get)(int, int, Args...);
    int (*iput)(int, int, Args..., int*), (*iget)(int, int, Args..., int*), (*bput)(int, int, Args..., int*);
};

// The same of several variables: what stands behind ncid, num and varids.
template <typename... Args>
struct Together {
    int (*put_all)(int, int, const int*, Args...), (*put)(int, int, const int*, Args...);
    int (*get_all)(int, int, const int*, Args...), (*get)(int, int, const int*, Args...);
};

using Offsets = const MPI_Offset*;
using Lists = MPI_Offset* const*;
using Arrays = const xmp_array_t*;
using Ranges = xmp_range_t* const*;

struct Functions {
    const char* name;
    ElementType element;
    nc_type external;
    MPI_Datatype mpi;
    Alone<xmp_array_t> var, vara;
    Alone<xmp_array_t, xmp_range_t*> vars, varas;
    Alone<Offsets, Offsets, xmp_array_t, xmp_range_t*> varx;
    Alone<Offsets, Offsets, Offsets, xmp_array_t, xmp_range_t*> varm;
    Alone<int, xmp_array_t, Ranges> varn;
    Together<Arrays> mvar, mvara;
    Together<Arrays, Ranges> mvars, mvaras;
    Together<Lists, Lists, Arrays, Ranges> mvarx;
    Together<Lists, Lists, Lists, Arrays, Ranges> mvarm;
};

// t: _int, or nothing for the functions without a type
#define ALONE(form, t)                                                                                                        \
    {                                                                                                                         \
        xmpnc_put_##form##t##_all, xmpnc_put_##form##t, xmpnc_get_##form##t##_all, xmpnc_get_##form##t, xmpnc_iput_##form##t, \
            xmpnc_iget_##form##t, xmpnc_bput_##form##t                                                                        \
    }
#define TOGETHER(form, t) \
    { xmpnc_mput_##form##t##_all, xmpnc_mput_##form##t, xmpnc_mget_##form##t##_all, xmpnc_mget_##form##t }
#define FUNCTIONS(t, c_type, code, external, mpi)                                                                              \
    {                                                                                                                          \
        "functions" #t, {code, sizeof(c_type)}, external, mpi, ALONE(var, t), ALONE(vara, t), ALONE(vars, t), ALONE(varas, t), \
            ALONE(varx, t), ALONE(varm, t), ALONE(varn, t), TOGETHER(var, t), TOGETHER(vara, t), TOGETHER(vars, t),            \
            TOGETHER(varas, t), TOGETHER(varx, t), TOGETHER(varm, t)                                                           \
    }

const std::vector<Functions>& all_types() {
    static const std::vector<Functions> table = {
        FUNCTIONS(_text, char, XMP_TYPE_CHAR, NC_CHAR, MPI_CHAR),
        FUNCTIONS(_schar, signed char, XMP_TYPE_SCHAR, NC_BYTE, MPI_SIGNED_CHAR),
        FUNCTIONS(_uchar, unsigned char, XMP_TYPE_UCHAR, NC_UBYTE, MPI_UNSIGNED_CHAR),
        FUNCTIONS(_short, short, XMP_TYPE_SHORT, NC_SHORT, MPI_SHORT),
        FUNCTIONS(_ushort, unsigned short, XMP_TYPE_USHORT, NC_USHORT, MPI_UNSIGNED_SHORT),
        FUNCTIONS(_int, int, XMP_TYPE_INT, NC_INT, MPI_INT),
        FUNCTIONS(_uint, unsigned, XMP_TYPE_UINT, NC_UINT, MPI_UNSIGNED),
        FUNCTIONS(_long, long, XMP_TYPE_LONG, NC_INT64, MPI_LONG),
        FUNCTIONS(_float, float, XMP_TYPE_FLOAT, NC_FLOAT, MPI_FLOAT),
        FUNCTIONS(_double, double, XMP_TYPE_DOUBLE, NC_DOUBLE, MPI_DOUBLE),
        FUNCTIONS(_longlong, long long, XMP_TYPE_LONGLONG, NC_INT64, MPI_LONG_LONG),
        FUNCTIONS(_ulonglong, unsigned long long, XMP_TYPE_ULONGLONG, NC_UINT64, MPI_UNSIGNED_LONG_LONG),
        FUNCTIONS(, float, XMP_TYPE_FLOAT, NC_FLOAT, MPI_FLOAT),
    };
    return table;
}

enum Form { var, vara, vars, varas, varx, varm, varn, forms };
const char* const form_names[] = {"var", "vara", "vars", "varas", "varx", "varm", "varn"};
enum Kind { collective, independent, requests, own_requests, buffered, together, together_alone, kinds };

constexpr std::uint64_t before = 7777;  // the serial program's values are those of other indices

std::vector<int> order(const Global& global) {
    std::vector<int> result;
    for (int i = 0; i < global.mapping().rank(); ++i)
        result.push_back(global.mapping().order() == kumihimo::sets::Order::row_major ? i : global.mapping().rank() - 1 - i);
    return result;
}

// One array, the sections of it that are moved, their place in a variable, and what that variable holds.
struct Case {
    Global global;
    std::vector<std::unique_ptr<SectionChoice>> sections;
    std::vector<MPI_Offset> start, stride, map;  // of varx and varm
    std::vector<MPI_Offset> extents;
    std::vector<std::byte> contents;
    std::size_t width = 1;
    bool record = false;

    int rank() const { return global.mapping().rank(); }
    xmp_range_t* range() const { return sections.front()->rp; }

    // Where an element of a section lies in the variable, in bytes.
    std::size_t place(const SectionChoice& section, const std::vector<Index>& indices) const {
        std::size_t sum = 0;
        for (std::size_t v = 0; v < extents.size(); ++v) {
            MPI_Offset index = start.empty() ? 0 : start[v];
            const int axis = start.empty() ? static_cast<int>(v) : static_cast<int>(map[v]);
            if (axis >= 0) {
                const int d = order(global)[axis];
                const Range& range = section.ranges[d];
                index += start.empty() ? indices[d] - global.mapping().lower(d)
                                       : (indices[d] - range.first) / range.step * stride[v];
            }
            sum = sum * extents[v] + index;
        }
        return sum * width;
    }

    std::vector<std::byte> blanked() const {
        global.blank();
        const auto& array = global.object();
        if (!array.member() || array.base == nullptr) return {};
        const auto* const base = static_cast<std::byte*>(array.base);
        return {base, base + array.allocated_bytes()};
    }

    void update_contents() {
        for (const auto& section : sections)
            for_each_in_file(global, section->ranges, [&](const std::vector<Index>& indices) {
                value(global.linear(indices), width, contents.data() + place(*section, indices));
            });
    }

    // What the node's block has to be after a get.
    void expect_block(std::vector<std::byte> expected, const std::string& label) const {
        const auto& array = global.object();
        global.for_each_owned([&](const std::vector<Index>& indices) {
            for (const auto& section : sections)
                if (contains(section->ranges, indices))
                    std::memcpy(expected.data() + (array.address(indices) - static_cast<std::byte*>(array.base)),
                                contents.data() + place(*section, indices), width);
        });
        if (!expected.empty()) {
            EXPECT_EQ(std::memcmp(expected.data(), array.base, expected.size()), 0) << label;
        }
    }
};

// Sections that have no element in common: each has its own part of one dimension.
void choose_several(Random& random, Case& one) {
    const auto& mapping = one.global.mapping();
    const int split = static_cast<int>(random(0, mapping.rank() - 1));
    const Index lower = mapping.lower(split), upper = lower + mapping.extent(split);
    for (Index first = lower; first < upper;) {
        const Index count = random(1, upper - first), step = random(1, 2);
        auto section = std::make_unique<SectionChoice>();
        choose(random, one.global, *section);
        section->ranges[split] = {first, (count + step - 1) / step, step};
        if (section->rp == nullptr) section->rp = xmp_allocate_range(mapping.rank());
        for (int d = 0; d < mapping.rank(); ++d)
            xmp_set_range(section->rp, d + 1, section->ranges[d].first, section->ranges[d].count, section->ranges[d].step);
        one.sections.push_back(std::move(section));
        first += count;
    }
}

void choose_place(Random& random, Form form, Case& one) {
    const Global& global = one.global;
    const SectionChoice& section = *one.sections.front();
    if (form < varx || form == varn) {
        for (const int d : order(global)) one.extents.push_back(global.mapping().extent(d) + (form == var ? 0 : random(0, 2)));
        return;
    }
    const int rank = one.rank(), leading = static_cast<int>(random(0, 2));
    for (int v = 0; v < leading + rank; ++v) one.map.push_back(std::max(v - leading, -1));
    if (form == varm)
        for (std::size_t v = one.map.size(); v-- > 1;) std::swap(one.map[v], one.map[random(0, static_cast<Index>(v))]);
    for (const MPI_Offset axis : one.map) {
        one.start.push_back(random(0, 2));
        one.stride.push_back(random(1, 3));
        const Index count = axis < 0 ? 1 : section.ranges[order(global)[axis]].count;
        one.extents.push_back(one.start.back() + std::max<Index>(0, count - 1) * one.stride.back() + 1 + random(0, 1));
    }
}

void make_case(Random& random, const Functions& type, Form form, Case& one) {
    const int members = random.chance(25) ? static_cast<int>(random(1, node_count())) : 0;  // an array on a part of the nodes
    declare(random, type.element, node_count(), one.global, form == varx || form == varm ? 7 : 9, form == varm ? 3 : 4,
            members);
    one.width = type.element.bytes;
    if (form == varn) {
        choose_several(random, one);
    } else {
        one.sections.push_back(std::make_unique<SectionChoice>());
        if (form == var || form == vara) {
            for (int d = 0; d < one.rank(); ++d)
                one.sections[0]->ranges.push_back({one.global.mapping().lower(d), one.global.mapping().extent(d), 1});
        } else {
            choose(random, one.global, *one.sections[0]);
        }
    }
    choose_place(random, form, one);
    one.record = random.chance(30);
    std::size_t total = 1;
    for (const MPI_Offset n : one.extents) total *= n;
    one.contents.resize(total * one.width);
    for (std::size_t i = 0; i < total; ++i) value(i + before, one.width, one.contents.data() + i * one.width);
}

int format_of(Random& random, nc_type type) {
    const std::vector<int> formats = {NC_64BIT_DATA, NC_CLOBBER, NC_64BIT_OFFSET};
    return NC_CLOBBER | (type <= NC_DOUBLE ? random.pick(formats) : NC_64BIT_DATA);
}

// By one process: variables 0 and 1.
void create(Random& random, const std::string& path, const Functions& type, Case (&both)[2]) {
    const int format = format_of(random, type.external);
    if (SharedFile::first()) {
        int file, id, unlimited;
        EXPECT_EQ(ncmpi_create(MPI_COMM_SELF, path.c_str(), format, MPI_INFO_NULL, &file), NC_NOERR);
        EXPECT_EQ(ncmpi_def_dim(file, "record", NC_UNLIMITED, &unlimited), NC_NOERR);
        for (Case& one : both) {
            std::vector<int> dimensions(one.extents.size());
            const std::string name = &one == both ? "v" : "w";
            for (std::size_t d = 0; d < one.extents.size(); ++d)
                EXPECT_EQ(ncmpi_def_dim(file, (name + std::to_string(d)).c_str(), one.extents[d], &dimensions[d]), NC_NOERR);
            if (one.record) dimensions[0] = unlimited;
            EXPECT_EQ(
                ncmpi_def_var(file, name.c_str(), type.external, static_cast<int>(dimensions.size()), dimensions.data(), &id),
                NC_NOERR);
        }
        EXPECT_EQ(ncmpi_enddef(file), NC_NOERR);
        for (int id = 0; id < 2; ++id) {
            const std::vector<MPI_Offset> zeros(both[id].extents.size(), 0);
            EXPECT_EQ(ncmpi_put_vara_all(file, id, zeros.data(), both[id].extents.data(), both[id].contents.data(),
                                         static_cast<MPI_Offset>(both[id].contents.size() / both[id].width), type.mpi),
                      NC_NOERR);
        }
        EXPECT_EQ(ncmpi_close(file), NC_NOERR);
    }
    barrier();
}

void expect_contents(const std::string& path, const Functions& type, const Case (&both)[2], const std::string& label) {
    barrier();
    if (SharedFile::first()) {
        int file;
        EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
        for (int id = 0; id < 2; ++id) {
            const Case& one = both[id];
            std::vector<std::byte> found(one.contents.size());
            const std::vector<MPI_Offset> zeros(one.extents.size(), 0);
            EXPECT_EQ(ncmpi_get_vara_all(file, id, zeros.data(), one.extents.data(), found.data(),
                                         static_cast<MPI_Offset>(found.size() / one.width), type.mpi),
                      NC_NOERR);
            EXPECT_TRUE(found == one.contents) << label << " variable " << id;
        }
        EXPECT_EQ(ncmpi_close(file), NC_NOERR);
    }
    barrier();
}

// One call of a form, with all that its kind needs around it.
struct Caller {
    int file;
    Kind kind;
    bool writes;
    const Case (&both)[2];
    std::string label;

    void good(int code) const { EXPECT_EQ(code, NC_NOERR) << label << xmp_io_error(); }

    template <typename... Args>
    void alone(const Alone<Args...>& form, Args... args) const {
        int request = NC_REQ_NULL, status = NC_NOERR, left = -1;
        switch (kind) {
            case collective:
                return good((writes ? form.put_all : form.get_all)(file, 0, args...));
            case independent:
                good(xmpnc_begin_indep_data(file));
                good((writes ? form.put : form.get)(file, 0, args...));
                return good(xmpnc_end_indep_data(file));
            case requests:
            case buffered:
                good((!writes ? form.iget : kind == buffered ? form.bput : form.iput)(file, 0, args..., &request));
                good(xmpnc_wait_all(file, 1, &request, &status));
                break;
            default:
                good((writes ? form.iput : form.iget)(file, 0, args..., &request));
                good(xmpnc_begin_indep_data(file));
                good(xmpnc_wait(file, 1, &request, &status));
                good(xmpnc_end_indep_data(file));
        }
        good(status);
        good(xmpnc_inq_nreqs(file, &left));
        EXPECT_EQ(left, 0) << label;
    }

    template <typename... Args>
    void several(const Together<Args...>& form, Args... args) const {
        const int ids[] = {0, 1};
        if (kind == together) return good((writes ? form.put_all : form.get_all)(file, 2, ids, args...));
        good(xmpnc_begin_indep_data(file));
        good((writes ? form.put : form.get)(file, 2, ids, args...));
        good(xmpnc_end_indep_data(file));
    }

    void call_alone(const Functions& type, Form form) const {
        const Case& one = both[0];
        std::vector<xmp_range_t*> ranges;
        for (const auto& section : one.sections) ranges.push_back(section->rp);
        switch (form) {
            case var:
                return alone(type.var, xmp_array_t(one.global.array));
            case vara:
                return alone(type.vara, xmp_array_t(one.global.array));
            case vars:
                return alone(type.vars, xmp_array_t(one.global.array), one.range());
            case varas:
                return alone(type.varas, xmp_array_t(one.global.array), one.range());
            case varx:
                return alone(type.varx, Offsets(one.start.data()), Offsets(one.stride.data()), xmp_array_t(one.global.array),
                             one.range());
            case varm:
                return alone(type.varm, Offsets(one.start.data()), Offsets(one.stride.data()), Offsets(one.map.data()),
                             xmp_array_t(one.global.array), one.range());
            default:
                return alone(type.varn, static_cast<int>(ranges.size()), xmp_array_t(one.global.array), Ranges(ranges.data()));
        }
    }

    void call_together(const Functions& type, Form form) const {
        const xmp_array_t arrays[] = {both[0].global.array, both[1].global.array};
        xmp_range_t* const ranges[] = {both[0].range(), both[1].range()};
        std::vector<MPI_Offset> copies[6];
        MPI_Offset* lists[6];
        for (int i = 0; i < 2; ++i) copies[i] = both[i].start, copies[2 + i] = both[i].stride, copies[4 + i] = both[i].map;
        for (int i = 0; i < 6; ++i) lists[i] = copies[i].data();
        const Lists starts = lists, strides = lists + 2, maps = lists + 4;
        switch (form) {
            case var:
                return several(type.mvar, Arrays(arrays));
            case vara:
                return several(type.mvara, Arrays(arrays));
            case vars:
                return several(type.mvars, Arrays(arrays), Ranges(ranges));
            case varas:
                return several(type.mvaras, Arrays(arrays), Ranges(ranges));
            case varx:
                return several(type.mvarx, starts, strides, Arrays(arrays), Ranges(ranges));
            default:
                return several(type.mvarm, starts, strides, maps, Arrays(arrays), Ranges(ranges));
        }
    }

    void call(const Functions& type, Form form) const {
        if (kind == together || kind == together_alone)
            call_together(type, form);
        else
            call_alone(type, form);
    }
};

// What a buffered write takes is what the library says it does.
void attach(int file, const Case& one, const std::string& label) {
    MPI_Offset bytes = 0;
    for (const auto& section : one.sections) {
        MPI_Offset more = 0;
        EXPECT_EQ(xmpnc_inq_bput_size(file, 0, one.global.array, section->rp, &more), NC_NOERR) << label << xmp_io_error();
        bytes += more;
    }
    EXPECT_EQ(xmpnc_buffer_attach(file, std::max<MPI_Offset>(bytes, 1)), NC_NOERR) << label;
}

// By whom PnetCDF's files are served below xmpnc: the MPI library, or the file engine.
class Server {
public:
    explicit Server(Random& random) : engine_(random.pick<const char*>({"", "direct"})) { setenv("KUMIHIMO_IO", engine_, 1); }
    ~Server() { unsetenv("KUMIHIMO_IO"); }
    void expect(int file, const std::string& label) const {
        MPI_Info info = MPI_INFO_NULL;
        char value[MPI_MAX_INFO_VAL + 1] = {};
        int found = 0;
        ASSERT_EQ(xmpnc_inq_file_info(file, &info), NC_NOERR);
        MPI_Info_get(info, "kumihimo_io", MPI_MAX_INFO_VAL, value, &found);
        MPI_Info_free(&info);
        EXPECT_STREQ(value, engine_) << label;
    }

private:
    const char* engine_;
};

void put_and_get(Random& random, const Functions& type, Form form, Kind kind, const std::string& path,
                 const std::string& label) {
    Case both[2];
    make_case(random, type, form, both[0]);
    make_case(random, type, form, both[1]);
    if (both[0].record && both[1].record && both[0].extents[0] != both[1].extents[0]) both[1].record = false;
    create(random, path, type, both);
    const Server server(random);
    const int count = kind == together || kind == together_alone ? 2 : 1;
    int file = -1;
    ASSERT_EQ(xmpnc_open_all(path.c_str(), NC_WRITE, &file), NC_NOERR) << xmp_io_error();
    server.expect(file, label);
    for (int i = 0; i < count; ++i) both[i].global.fill();
    if (kind == buffered) attach(file, both[0], label);
    Caller{file, kind, true, both, label + "put "}.call(type, form);
    if (kind == buffered) {
        EXPECT_EQ(xmpnc_buffer_detach(file), NC_NOERR) << label;
    }
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    for (int i = 0; i < count; ++i) both[i].update_contents();
    expect_contents(path, type, both, label);

    std::vector<std::byte> blank[2];
    for (int i = 0; i < count; ++i) blank[i] = both[i].blanked();
    ASSERT_EQ(xmpnc_open(MPI_COMM_WORLD, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR) << xmp_io_error();
    Caller{file, kind, false, both, label + "get "}.call(type, form);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    for (int i = 0; i < count; ++i) both[i].expect_block(blank[i], label + "get");
    barrier();
}

// Each type in turn; after four rounds each form has met each kind. KUMIHIMO_TEST_LONG: ten times as many.
TEST(Access, EveryFormKindAndTypeOnRandomSections) {
    SharedFile file("sections.nc");
    unsigned one = seed();
    int number = 0;
    for (int i = 0; i < cases(kumihimo::support::long_form() ? 40 : 4); ++i)
        for (const Functions& type : all_types()) {
            Random random(++one);
            const auto form = static_cast<Form>(number % forms);
            auto kind = static_cast<Kind>((number / forms + number) % kinds);
            if (form == varn && kind >= together) kind = requests;
            ++number;
            put_and_get(random, type, form, kind, file.path,
                        "KUMIHIMO_TEST_SEED=" + std::to_string(seed()) + " case " + std::to_string(number - 1) + ", " +
                            type.name + " of " + form_names[form] + ", kind " + std::to_string(kind) + ", nodes " +
                            std::to_string(node_count()) + ": ");
            if (testing::Test::HasFatalFailure()) return;
        }
}

// Nobody touches most of the array, and the file is mostly a hole.
TEST(Access, PlacesBeyondFourGiB) {
    constexpr Index extent = (Index{9} << 29) + 7, count = 1000, step = 3, first = extent - count * step;
    for (const XMP_Format format : {XMP_Format XMP_FORMAT_BLOCK(0, 0), XMP_Format XMP_FORMAT_CYCLIC(0, 1 << 8)}) {
        SharedFile shared("large.nc");
        Global global;
        declare_line(global, {XMP_TYPE_SCHAR, 1}, extent, format);
        const auto each = [&](auto&& visit) {
            const Index coordinate = global.object().coordinate(0);
            global.mapping().owned(0, coordinate, {first, count, step}).for_each_run([&](Index index, Index length) {
                for (Index i = index; i < index + length; ++i) visit(i, *global.object().address({i}));
            });
        };
        xmp_range_t* const range = xmp_allocate_range(1);
        xmp_set_range(range, 1, first, count, step);
        int file = -1, id = -1, dimension = -1;
        ASSERT_EQ(xmpnc_create_all(shared.path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file), NC_NOERR) << xmp_io_error();
        EXPECT_EQ(xmpnc_def_dim(file, "x", extent, &dimension), NC_NOERR);
        EXPECT_EQ(xmpnc_def_var(file, "v", NC_BYTE, 1, &dimension, &id), NC_NOERR);
        EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
        each([](Index index, std::byte& element) { element = static_cast<std::byte>(index * 7); });
        EXPECT_EQ(xmpnc_put_varas_schar_all(file, id, global.array, range), NC_NOERR) << xmp_io_error();
        each([](Index, std::byte& element) { element = std::byte{0}; });
        EXPECT_EQ(xmpnc_get_varas_schar_all(file, id, global.array, range), NC_NOERR) << xmp_io_error();
        Index wrong = 0;
        each([&](Index index, std::byte& element) { wrong += element != static_cast<std::byte>(index * 7); });
        EXPECT_EQ(wrong, 0);
        if (SharedFile::first()) {
            signed char found = 0;
            const MPI_Offset place = first + 500 * step;
            int alone = -1;
            EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, shared.path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &alone), NC_NOERR);
            EXPECT_EQ(ncmpi_get_var1_schar_all(alone, id, &place, &found), NC_NOERR);
            EXPECT_EQ(found, static_cast<signed char>(place * 7));
            EXPECT_EQ(ncmpi_close(alone), NC_NOERR);
        }
        EXPECT_EQ(xmpnc_close(file), NC_NOERR);
        xmp_free_range(range);
    }
}

// Whole arrays of more bytes, and on each node more elements, than an int can count: through the MPI library and the engine.
TEST(Access, ArraysOfThreeAndFiveGiB) {
    if (!kumihimo::support::long_form() || node_count() != 2) GTEST_SKIP() << "a long form, on 2 nodes";
    const auto element_at = [](Index index) { return static_cast<std::byte>((index * 2654435761) >> 16); };
    const auto each = [](const Global& global, auto&& visit) {
        global.mapping().owned(0, global.object().coordinate(0)).for_each_run([&](Index first, Index length) {
            std::byte* const run = global.object().address({first});
            for (Index i = 0; i < length; ++i) visit(first + i, run[i]);
        });
    };
    for (const char* const server : {"mpi", "direct"})
        for (const Index extent : {(Index{3} << 30) + 1, (Index{5} << 30) + 7}) {
            SCOPED_TRACE(server + (" " + std::to_string(extent)));
            setenv("KUMIHIMO_IO", server, 1);
            SharedFile shared("whole.nc");
            int file = -1, id = -1, dimension = -1;
            ASSERT_EQ(xmpnc_create_all(shared.path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file), NC_NOERR) << xmp_io_error();
            EXPECT_EQ(xmpnc_def_dim(file, "x", extent, &dimension), NC_NOERR);
            EXPECT_EQ(xmpnc_def_var(file, "v", NC_BYTE, 1, &dimension, &id), NC_NOERR);
            EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
            {
                Global global;
                declare_line(global, {XMP_TYPE_SCHAR, 1}, extent, XMP_Format XMP_FORMAT_BLOCK(0, 0));
                each(global, [&](Index index, std::byte& element) { element = element_at(index); });
                EXPECT_EQ(xmpnc_put_vara_schar_all(file, id, global.array), NC_NOERR) << xmp_io_error();
                EXPECT_EQ(xmpnc_close(file), NC_NOERR);
            }
            EXPECT_GT(std::filesystem::file_size(shared.path), static_cast<std::uintmax_t>(extent));
            for (const XMP_Format format : {XMP_Format XMP_FORMAT_BLOCK(0, 0), XMP_Format XMP_FORMAT_CYCLIC(0, 1 << 22)}) {
                Global global;
                declare_line(global, {XMP_TYPE_SCHAR, 1}, extent, format);
                ASSERT_EQ(xmpnc_open_all(shared.path.c_str(), NC_NOWRITE, &file), NC_NOERR) << xmp_io_error();
                EXPECT_EQ(xmpnc_get_vara_schar_all(file, id, global.array), NC_NOERR) << xmp_io_error();
                EXPECT_EQ(xmpnc_close(file), NC_NOERR);
                Index wrong = 0;
                each(global, [&](Index index, std::byte& element) { wrong += element != element_at(index); });
                EXPECT_EQ(wrong, 0);
            }
        }
    unsetenv("KUMIHIMO_IO");
}

}  // namespace
