// The file service of another machine, started as ssh does it, below a root of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "iod/link/command.hpp"
#include "iod/protocol/bulk.hpp"
#include "tests/iod/process/line.hpp"

namespace kumihimo::iod::test {

namespace fs = std::filesystem;

class Far : public testing::Test {
protected:
    Far() {
        char name[] = "/tmp/kumihimo-far-XXXXXX";
        place_ = mkdtemp(name);
        fs::create_directory(root());
    }
    ~Far() override { fs::remove_all(place_); }
    fs::path root() const { return place_ / "root"; }
    std::vector<std::string> words() const { return {std::getenv("KUMIHIMO_IOD"), "--stdio", "--root", root().string()}; }
    std::string contents(const std::string& name) const {
        std::ifstream stream(root() / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    // Nothing but the root, and in it nothing but what was asked for.
    void expect_nothing_outside() const { EXPECT_EQ(std::distance(fs::directory_iterator(place_), {}), 1); }

    fs::path place_;
};

struct Service {
    explicit Service(const std::vector<std::string>& words) : command(words), line(command.take_socket().release()) {}
    link::Command command;
    Line line;
};

inline FileOpen open_as(const std::string& path, bool first = true) {
    FileOpen open{path, {true, true, first, false, false, 0600}, {}, first};
    open.opening[0] = static_cast<std::byte>(7);
    return open;
}

inline Payload with_bytes(const Layout& layout, const std::string& text) {
    Payload payload = encode_layout_head(layout);
    payload.append(std::as_bytes(std::span(text)));
    return payload;
}

inline Status write(Line& line, std::uint32_t session, const Layout& layout, const std::string& text) {
    return decode<Status>(line.answer(line.ask(Type::file_write, session, with_bytes(layout, text))));
}

inline std::string read(Line& line, std::uint32_t session, const Layout& layout) {
    const Payload payload = line.answer(line.ask(Type::file_read, session, encode_layout_head(layout)));
    const DataView data = decode_data(payload);
    EXPECT_TRUE(data.status.ok()) << data.status.text;
    return {reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()};
}

}  // namespace kumihimo::iod::test
