// KUMIHIMO_IO_REPORT for XMP-IO: what was asked of a file and what became of it, once for each file.
#include <fstream>
#include <nlohmann/json.hpp>

#include "layout.hpp"

using namespace layout;
using Json = nlohmann::json;

namespace {

TEST(Report, TellsWhatWasAskedOfEachFile) {
    const SharedFile file("reported"), report("report");
    Random random(seed());
    Global global;
    declare(random, {XMP_TYPE_INT, 4}, node_count(), global);
    global.fill();
    setenv("KUMIHIMO_IO_REPORT", report.path.c_str(), 1);
    setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1);
    xmp_file_t* handle = xmp_fopen_all(file.path.c_str(), "w");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
    const Index bytes = xmp_ftell(handle);
    if (node_number() == 0) {
        EXPECT_EQ(xmp_fwrite(handle, "tail", 1, 4), 4);
    }
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    handle = xmp_fopen_all(file.path.c_str(), "r");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_GE(xmp_fread_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
    char tail[4];
    EXPECT_EQ(xmp_fread_all(handle, tail, 1, 4), 4);
    EXPECT_EQ(xmp_fseek(handle, 1, SEEK_SET), 0);
    EXPECT_EQ(xmp_fwrite_all(handle, tail, 1, 4), -1);  // it is read
    EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    unsetenv("KUMIHIMO_IO_REPORT");
    unsetenv("KUMIHIMO_XMPIO_MESSAGES");
    barrier();
    if (node_number() > 0) return;
    std::ifstream lines(report.path);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const Json written = Json::parse(line);
    const int nodes = node_count();
    EXPECT_EQ(written.at("file"), file.path);
    EXPECT_EQ(written.at("engine"), "direct");
    EXPECT_EQ(written.at("ranks"), nodes);
    EXPECT_EQ(written.at("calls"), (Json{{"read", 0}, {"write", 1}, {"read_all", 0}, {"write_all", nodes}})) << line;
    EXPECT_EQ(written.at("file_system").at("bytes_written"), bytes + 4) << line;
    EXPECT_EQ(written.at("failures"), 0);
    EXPECT_GT(written.at("seconds"), 0.0);
    EXPECT_GE(written.at("engine_counters").at("copying seconds"), 0.0);
    ASSERT_TRUE(std::getline(lines, line));
    const Json read = Json::parse(line);
    EXPECT_EQ(read.at("calls"), (Json{{"read", 0}, {"write", 0}, {"read_all", 2 * nodes}, {"write_all", nodes}})) << line;
    EXPECT_EQ(read.at("failures"), nodes);
    EXPECT_GE(read.at("file_system").at("bytes_read"), bytes);
    EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
