// Checkpoints and descriptions of files: restored under other layouts and on other nodes, complete or not there at all, and
// what is damaged is told on all nodes.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "kumihimo/xmp.h"
#include "placed.hpp"
#include "runtime/xmpio/file.hpp"

using namespace layout;
using Json = nlohmann::json;

namespace {

void put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

// The sum that the reference defines, of the bytes of an array in a file.
std::string sum_of(const std::string& bytes, std::size_t element_bytes) {
    const std::size_t words = (element_bytes + 7) / 8;
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < bytes.size() / element_bytes * words; ++n) {
        std::uint64_t z = 0;
        for (std::size_t i = 0; i < 8 && n % words * 8 + i < element_bytes; ++i)
            z |= std::uint64_t{static_cast<unsigned char>(bytes[n / words * element_bytes + n % words * 8 + i])} << 8 * i;
        z += n * 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        sum += z ^ (z >> 31);
    }
    char text[32];
    std::snprintf(text, sizeof text, "sum64:%016llx", static_cast<unsigned long long>(sum));
    return text;
}

std::string serial_bytes(const Shape& shape) {
    Index count = 1;
    for (const Index extent : shape.extents) count *= extent;
    std::string bytes(count * shape.type.bytes, '\0');
    for (Index i = 0; i < count; ++i)
        value(i, shape.type.bytes, reinterpret_cast<std::byte*>(bytes.data()) + i * shape.type.bytes);
    return bytes;
}

class Checkpoint : public testing::Test {
protected:
    void SetUp() override { setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1); }
    void TearDown() override {
        for (const char* name : {"MESSAGES", "SIDECAR", "CHECKPOINTS", "HINTS"})
            unsetenv((std::string("KUMIHIMO_XMPIO_") + name).c_str());
        barrier();
        if (SharedFile::first()) std::filesystem::remove_all(directory_.path);
    }
    std::string file(const std::string& name) {
        if (SharedFile::first()) std::filesystem::create_directories(directory_.path);
        barrier();
        return directory_.path + "/" + name;
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(directory_.path))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
    // Work of the first node on files, between the calls of all.
    template <typename Work>
    static void meanwhile(Work&& work) {
        barrier();
        if (SharedFile::first()) work();
        barrier();
    }
    static void expect_message(const std::string& part) {
        EXPECT_NE(std::string(xmp_io_error()).find(part), std::string::npos) << xmp_io_error();
        EXPECT_TRUE(same_everywhere(hash_of(xmp_io_error()))) << xmp_io_error();
    }

private:
    SharedFile directory_{"checkpoints"};
};

TEST_F(Checkpoint, RandomLayoutsAreRestoredInOthers) {
    Random random(seed());
    const std::vector<ElementType> types = {{XMP_TYPE_CHAR, 1},  {XMP_TYPE_SHORT, 2},           {XMP_TYPE_INT, 4},
                                            {XMP_TYPE_FLOAT, 4}, {XMP_TYPE_DOUBLE_COMPLEX, 16}, {XMP_TYPE_OTHER, 12}};
    const char* const names[] = {"u", "v", "w"};
    for (int i = 0; i < cases(8); ++i) {
        std::vector<Shape> shapes;
        for (int n = static_cast<int>(random(0, 3)); n-- > 0;) {
            Shape shape = {names[n], random.pick(types), static_cast<int>(random(0, 1)), {}};
            for (int d = static_cast<int>(random(1, 3)); d-- > 0;) shape.extents.push_back(random(1, 11));
            shapes.push_back(shape);
        }
        std::vector<std::unique_ptr<Placed>> written, read;
        std::vector<xmp_desc_t> from, to;
        std::string expected;
        for (const Shape& shape : shapes) {
            written.push_back(std::make_unique<Placed>(random, shape));
            read.push_back(std::make_unique<Placed>(random, shape));
            written.back()->fill(), read.back()->blank();
            from.push_back(written.back()->array), to.push_back(read.back()->array);
            expected += serial_bytes(shape);
        }
        const std::string name = file("random" + std::to_string(i));
        Values values = {i, 0.5 * i}, restored = {-1, -1};
        const auto n = static_cast<int>(shapes.size());
        EXPECT_EQ(xmp_checkpoint_latest(name.c_str()), 0);
        ASSERT_EQ(xmp_checkpoint_save_values(name.c_str(), n, from.data(), &values, sizeof values), 1) << xmp_io_error();
        EXPECT_EQ(xmp_checkpoint_latest(name.c_str()), 1);
        ASSERT_EQ(xmp_checkpoint_restore_values(name.c_str(), n, to.data(), &restored, sizeof restored), 1)
            << xmp_io_error() << ", seed " << seed() << ", case " << i;
        EXPECT_TRUE(restored.step == i && restored.time == 0.5 * i);
        for (const auto& array : read) EXPECT_TRUE(array->holds_its_values()) << "seed " << seed() << ", case " << i;
        // Values need not be asked for.
        EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), n, to.data()), 1) << xmp_io_error();

        if (!SharedFile::first()) continue;
        const std::string found = contents_of(name + ".1");
        ASSERT_EQ(found.substr(0, expected.size()), expected);
        const Json description = Json::parse(contents_of(name + ".1.json"));
        EXPECT_EQ(description.at("bytes"), found.size());
        for (int k = 0; k < n; ++k) {
            const Json& one = description.at("arrays").at(k);
            EXPECT_EQ(one.at("name"), shapes[k].name);
            EXPECT_EQ(one.at("shape"), shapes[k].extents);
            EXPECT_EQ(one.at("order"), shapes[k].order == XMP_ROW_MAJOR ? "row-major" : "column-major");
            const std::size_t bytes = serial_bytes(shapes[k]).size();
            EXPECT_EQ(one.at("checksum"), sum_of(found.substr(one.at("offset"), bytes), shapes[k].type.bytes));
        }
    }
}

TEST_F(Checkpoint, TheNewestAreKept) {
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("x");
    meanwhile([&] { put(name + ".3", "not ours"); });
    setenv("KUMIHIMO_XMPIO_CHECKPOINTS", "3", 1);
    for (int step = 4; step <= 9; ++step) ASSERT_EQ(pair.save(name, {step, 0}), step) << xmp_io_error();
    EXPECT_EQ(files(), (std::vector<std::string>{"x.3", "x.7", "x.7.json", "x.8", "x.8.json", "x.9", "x.9.json"}));
    Values values;
    const auto read = [&](const std::string& which) {
        return xmp_checkpoint_restore_values(which.c_str(), 2, pair.descriptors().data(), &values, sizeof values);
    };
    EXPECT_EQ(read(name), 9);
    EXPECT_EQ(values.step, 9);
    EXPECT_EQ(read(name + ".7"), 7) << xmp_io_error();
    EXPECT_EQ(values.step, 7);
}

// The complete one before a damaged one stays until there are enough others.
TEST_F(Checkpoint, DamagedOnesDoNotCountAsKept) {
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("z");
    setenv("KUMIHIMO_XMPIO_CHECKPOINTS", "2", 1);
    for (int step = 1; step <= 3; ++step) ASSERT_EQ(pair.save(name, {step, 0}), step) << xmp_io_error();
    meanwhile([&] { put(name + ".3.json", "{"); });
    ASSERT_EQ(pair.save(name, {4, 0}), 4) << xmp_io_error();
    meanwhile([&] { put(name + ".4.json", "{"); });
    EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), 2, pair.descriptors().data()), 2) << xmp_io_error();
}

TEST_F(Checkpoint, WhatIsIncompleteOrDamaged) {
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("y");
    ASSERT_EQ(pair.save(name, {1, 0}), 1) << xmp_io_error();
    ASSERT_EQ(pair.save(name, {2, 0}), 2) << xmp_io_error();
    const std::string whole = contents_of(name + ".2"), description = contents_of(name + ".2.json");
    barrier();
    const auto restore = [&] {
        pair.blank();
        return xmp_checkpoint_restore(name.c_str(), 2, pair.descriptors().data());
    };
    // One bit: the array that it belongs to is named.
    for (const std::size_t place : {std::size_t{0}, std::size_t{239}, std::size_t{240}, std::size_t{299}}) {
        meanwhile([&] {
            std::string changed = whole;
            changed[place] = static_cast<char>(changed[place] ^ 4);
            put(name + ".2", changed);
        });
        EXPECT_EQ(restore(), -1);
        expect_message(place < 240 ? "array 'height' (number 1) in" : "array 'count' (number 2) in");
        expect_message("is damaged: its checksum is sum64:");
    }
    {
        Values values;
        meanwhile([&] { put(name + ".2", whole.substr(0, 300) + std::string(sizeof values, 'v')); });
        EXPECT_EQ(xmp_checkpoint_restore_values(name.c_str(), 2, pair.descriptors().data(), &values, sizeof values), -1);
        expect_message("the memory of values in");
    }
    // An incomplete one is none: the one before is taken.
    meanwhile([&] { put(name + ".2", whole.substr(0, whole.size() - 1)); });
    EXPECT_EQ(xmp_checkpoint_latest(name.c_str()), 1);
    EXPECT_EQ(restore(), 1) << xmp_io_error();
    EXPECT_TRUE(pair.right());
    meanwhile([&] { std::filesystem::remove(name + ".2"); });
    EXPECT_EQ(restore(), 1) << xmp_io_error();
    meanwhile([&] { put(name + ".2", whole); });
    for (int i = 0; i < 10; ++i) {
        const auto length = static_cast<std::size_t>(random(0, static_cast<Index>(description.size()) - 3));
        const auto other = static_cast<char>(random(1, 126));
        meanwhile([&] { put(name + ".2.json", i % 2 == 0 ? description.substr(0, length) : std::string(length, other)); });
        EXPECT_EQ(restore(), 1) << xmp_io_error();
    }
    meanwhile([&] { put(name + ".2.json", "{\n"); });
    EXPECT_EQ(xmp_checkpoint_restore((name + ".2").c_str(), 2, pair.descriptors().data()), -1);
    expect_message(".2.json' is damaged: parse error at line 2, column 1: ");
    meanwhile([&] { put(name + ".2.json", R"({"format": "Kumihimo flat file", "version": 1, "byte_order": "little"})"); });
    EXPECT_EQ(xmp_checkpoint_restore((name + ".2").c_str(), 2, pair.descriptors().data()), -1);
    expect_message(".2.json' is damaged: key 'bytes' not found");
    for (const auto& [what, instead] : {std::pair<const char*, const char*>{"[6,5]", "[6,-5]"},
                                        {"[6,5]", "[4611686018427387904,5]"},
                                        {"\"offset\": 240", "\"offset\": -240"},
                                        {"\"version\": 1", "\"version\": 7"},
                                        {"\"element_bytes\": 8", "\"element_bytes\": 0"},
                                        {"little", "big"}}) {
        std::string changed = Json::parse(description).dump();
        std::string from = what, to = instead;
        std::erase(from, ' '), std::erase(to, ' ');
        ASSERT_NE(changed.find(from), std::string::npos) << from;
        changed.replace(changed.find(from), from.size(), to);
        meanwhile([&] { put(name + ".2.json", changed); });
        EXPECT_EQ(restore(), 1) << xmp_io_error();
        EXPECT_EQ(xmp_checkpoint_restore((name + ".2").c_str(), 2, pair.descriptors().data()), -1);
        expect_message(".2.json' is damaged: ");
    }
    meanwhile([&] { std::filesystem::remove(name + ".1.json"); });
    EXPECT_EQ(restore(), -1);
    expect_message("there is no complete checkpoint '" + name + "'");
    EXPECT_EQ(xmp_checkpoint_latest(name.c_str()), 0);
}

TEST_F(Checkpoint, OfADirectoryThatIsNotThereIsToldOf) {
    Random random(seed());
    const Pair pair(random);
    const std::string directory = file("none"), name = directory + "/x";
    const std::string expected =
        "cannot read directory '" + directory + "' of checkpoint '" + name + "': No such file or directory";
    EXPECT_EQ(pair.save(name, {1, 0}), -1);
    expect_message(expected);
    EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), 2, pair.descriptors().data()), -1);
    expect_message(expected);
    EXPECT_EQ(xmp_checkpoint_latest(name.c_str()), -1);
    expect_message(expected);
}

TEST_F(Checkpoint, WhatDoesNotFitIsRefused) {
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("z");
    ASSERT_EQ(pair.save(name, {1, 0}), 1) << xmp_io_error();
    Values values[2] = {};
    const auto refused = [&](const std::vector<xmp_desc_t>& arrays, std::size_t bytes, const std::string& message) {
        const auto n = static_cast<int>(arrays.size());
        EXPECT_EQ(xmp_checkpoint_restore_values(name.c_str(), n, arrays.data(), values, bytes), -1);
        expect_message(message);
        EXPECT_TRUE(pair.right()) << "nothing changes";
    };
    Shape transposed = heights, longs = heights, columns = heights, other = heights, flat = heights;
    transposed.extents = {5, 6};
    flat.extents = {30};
    longs.type = {XMP_TYPE_LONG, 8};
    columns.order = XMP_COLUMN_MAJOR;
    other.name = "count";
    const Placed a(random, transposed), b(random, longs), c(random, columns), d(random, other), e(random, flat);
    refused({a.array, pair.b.array}, 0,
            "array 1 of '" + name +
                ".1' is 'height', float64 of [6][5]; in the program it is 'height', "
                "float64 of [5][6]");
    refused({b.array, pair.b.array}, 0, "int64 of [6][5]");
    refused({c.array, pair.b.array}, 0, "float64 of (6,5)");
    refused({e.array, pair.b.array}, 0, "float64 of [30]");
    refused({d.array, pair.b.array}, 0, "array 1 of '" + name + ".1' is 'height', the program gives 'count' in its place");
    Shape fortran = columns;  // the same bytes as Fortran declares them
    std::reverse(fortran.extents.begin(), fortran.extents.end());
    const Placed f(random, fortran);
    const std::vector<xmp_desc_t> others = {f.array, pair.b.array};
    f.blank();
    EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), 2, others.data()), 1) << xmp_io_error();
    EXPECT_TRUE(f.holds_its_values());
    refused({pair.a.array}, 0, "has 2 arrays, the program asks for 1");
    refused({pair.a.array, pair.b.array}, sizeof values, "has 16 bytes of values, the program asks for 32");
    refused({pair.a.target, pair.b.array}, 0, "");
    EXPECT_EQ(xmp_checkpoint_restore("", 0, nullptr), -1);
    EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), 1, nullptr), -1);
    EXPECT_EQ(xmp_checkpoint_save("/nowhere/at/all", 0, nullptr), -1);
    expect_message("No such file or directory");
    if (node_count() == 1) return;
    EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), node_number() == 0 ? 2 : 1, pair.descriptors().data()), -1);
    expect_message("different arrays");
}

// A node that cannot write: the checkpoint before stays, and nothing else.
TEST_F(Checkpoint, AFailureLeavesTheOneBefore) {
    std::signal(SIGXFSZ, SIG_IGN);
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("f");
    ASSERT_EQ(pair.save(name, {1, 0}), 1) << xmp_io_error();
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    if (node_number() == 0) {
        rlimit small = before;
        small.rlim_cur = 310;
        setrlimit(RLIMIT_FSIZE, &small);
    }
    EXPECT_EQ(pair.save(name, {2, 0}), -1);
    setrlimit(RLIMIT_FSIZE, &before);
    expect_message("/f.2.");
    EXPECT_EQ(files(), (std::vector<std::string>{"f.1", "f.1.json"}));
    EXPECT_EQ(pair.save(name, {2, 0}), 2) << xmp_io_error();
}

// The nodes of a task have checkpoints of their own.
TEST_F(Checkpoint, InTasks) {
    Random random(seed());
    const Index sizes[] = {node_count()};
    XMP_Nodes* const all = XMP_Nodes_declare(site(), "all", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
    const Index half = node_count() / 2;
    const std::string name = file(node_number() < half ? "low" : "high");
    const XMP_Range range[] = {node_number() < half ? XMP_Range XMP_FROM_TO(0, half - 1, 1)
                                                    : XMP_Range XMP_FROM_TO(half, node_count() - 1, 1)};
    const XMP_On on = {all, 1, range};
    XMP_Task task = XMP_Task_prepare(site(), &on, 0);
    if (XMP_Task_enter(&task)) {
        const Index members[] = {xmp_num_nodes()};
        const XMP_Bounds bounds[] = {{0, 99}};
        const XMP_Format cyclic[] = {XMP_FORMAT_CYCLIC(0, 3)};
        const XMP_Align align[] = {{0, 0}};
        Global global;
        global.nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, members, XMP_NODES_EXECUTING, nullptr);
        global.target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 1, bounds);
        XMP_Distribute(site(), global.target, global.nodes, cyclic);
        global.array = XMP_Array_declare(site(), "x", XMP_ROW_MAJOR, XMP_TYPE_INT, 4, 1, bounds, global.target, align, nullptr);
        global.fill();
        const xmp_desc_t arrays[] = {global.array};
        EXPECT_EQ(xmp_checkpoint_save(name.c_str(), 1, arrays), 1) << xmp_io_error();
        global.blank();
        EXPECT_EQ(xmp_checkpoint_restore(name.c_str(), 1, arrays), 1) << xmp_io_error();
        global.for_each_owned([&](const std::vector<Index>& indices) {
            std::byte expected[4];
            value(global.linear(indices), 4, expected);
            EXPECT_EQ(std::memcmp(global.object().address(indices), expected, 4), 0);
        });
    }
    XMP_Task_leave(&task);
    XMP_Nodes* released = all;
    XMP_Nodes_release(&released);
}

// ---- descriptions of files that programs write themselves ----

TEST_F(Checkpoint, ADescriptionTellsWhatWasWritten) {
    Random random(seed());
    const Pair pair(random);
    pair.fill();
    const std::string path = file("flat");
    setenv("KUMIHIMO_XMPIO_SIDECAR", "1", 1);
    xmp_file_t* handle = xmp_fopen_all(path.c_str(), "w");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    if (node_number() == 0) {
        EXPECT_EQ(xmp_fwrite(handle, "head:", 1, 5), 5);
    }
    EXPECT_EQ(xmp_fseek(handle, 5, SEEK_SET), 0);
    xmp_range_t* const rows = xmp_allocate_range(2);
    xmp_set_range(rows, 1, pair.a.mapping().lower(0) + 4, 2, -3);
    EXPECT_GE(xmp_fwrite_darray_all(handle, pair.a.array, rows), 0) << xmp_io_error();
    EXPECT_GE(xmp_fwrite_darray_all(handle, pair.b.array, nullptr), 0) << xmp_io_error();
    EXPECT_GE(xmp_fwrite_darray_all(handle, pair.b.array, nullptr), 0) << xmp_io_error();
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    xmp_free_range(rows);

    const auto described = [&](const char* label) {
        barrier();
        const std::string found = contents_of(path);
        const Json json = Json::parse(contents_of(path + ".json"));
        EXPECT_EQ(json.at("bytes"), found.size()) << label;
        std::string list;
        for (const Json& one : json.at("arrays")) {
            list += one.at("name").get<std::string>() + "@" + one.at("offset").dump() + one.at("shape").dump();
            if (!one.contains("checksum")) continue;
            std::size_t bytes = one.at("element_bytes");
            for (const std::size_t extent : one.at("shape")) bytes *= extent;
            EXPECT_EQ(one.at("checksum"), sum_of(found.substr(one.at("offset"), bytes), one.at("element_bytes"))) << label;
            list += "+";
        }
        return list;
    };
    EXPECT_EQ(described("written"), "height@5[2,5]+count@85[6,5]+count@145[6,5]+");

    // What is opened again keeps what it says of the rest; another node's own writes take a checksum.
    handle = xmp_fopen_all(path.c_str(), "r+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_fseek(handle, 145, SEEK_SET), 0);
    if (node_number() == node_count() - 1) {
        EXPECT_EQ(xmp_fwrite(handle, "!", 1, 1), 1);
    }
    EXPECT_EQ(xmp_fseek(handle, 0, SEEK_SET), 0);
    EXPECT_GE(xmp_fwrite_darray_all(handle, pair.b.array, nullptr), 0) << xmp_io_error();
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    EXPECT_EQ(described("again"), "count@0[6,5]+count@85[6,5]+count@145[6,5]");

    // Without the setting a program asks itself. Views of the whole array put it where the view is; other bytes take checksums.
    unsetenv("KUMIHIMO_XMPIO_SIDECAR");
    handle = xmp_fopen_all(path.c_str(), "r+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_file_describe_all(handle), 0) << xmp_io_error();
    EXPECT_EQ(xmp_file_set_view(handle, 0, pair.b.array, nullptr), 0) << xmp_io_error();
    EXPECT_GE(xmp_fwrite_darray_all(handle, pair.b.array, nullptr), 0) << xmp_io_error();
    ASSERT_EQ(xmp_file_set_view(handle, 145, pair.b.array, nullptr), 0) << xmp_io_error();
    for (int copy = 0; copy < 2; ++copy) EXPECT_GE(xmp_fwrite_darray_all(handle, pair.b.array, nullptr), 0) << xmp_io_error();
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    EXPECT_EQ(described("view"), "count@0[6,5]+count@85[6,5]+count@145[6,5]+count@205[6,5]+");
    handle = xmp_fopen_all(path.c_str(), "r+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_file_describe_all(handle), 0) << xmp_io_error();
    ASSERT_EQ(xmp_file_set_view(handle, 85, pair.b.array, nullptr), 0) << xmp_io_error();
    Index elements = 0;
    pair.b.for_each_owned([&](const std::vector<Index>&) { ++elements; });
    if (elements > 0) {
        EXPECT_EQ(xmp_fwrite(handle, "!", 1, 1), 1) << xmp_io_error();
    }
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    EXPECT_EQ(described("bytes"), "count@0[6,5]+count@85[6,5]count@145[6,5]+count@205[6,5]+");
    handle = xmp_fopen_all(path.c_str(), "r");
    EXPECT_EQ(xmp_file_describe_all(handle), -1);
    expect_message("was not opened for writing");
    EXPECT_EQ(xmp_fclose_all(handle), 0);
}

TEST_F(Checkpoint, HintsOfTheSettingReachTheEngine) {
    const std::string path = file("hinted");
    for (const char* wrong : {"x", "=1", "key=", ",", "a=1,=2"}) {
        setenv("KUMIHIMO_XMPIO_HINTS", wrong, 1);
        EXPECT_EQ(xmp_fopen_all(path.c_str(), "w"), nullptr) << wrong;
        expect_message("KUMIHIMO_XMPIO_HINTS: '");
    }
    setenv("KUMIHIMO_XMPIO_HINTS", "cb_nodes=1,cb_config_list=*:1,*:2", 1);
    std::optional<kumihimo::base::Failure> failure;
    const auto opened = kumihimo::xmpio::File::open(path, *kumihimo::xmpio::Mode::parse("w"), failure);
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->hints()["cb_nodes"], "1");
    EXPECT_FALSE(opened->close());
}

}  // namespace
