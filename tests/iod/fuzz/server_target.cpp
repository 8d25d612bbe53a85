// The file service of another machine, as ssh starts it there, whose client sends anything: it ends when that goes, and nothing
// outside of its root was touched.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "iod/files/service.hpp"
#include "iod/files/stored_file.hpp"
#include "iod/link/agent.hpp"
#include "iod/protocol/bulk.hpp"
#include "tests/iod/fuzz/frames.hpp"
#include "tests/iod/fuzz/target.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::test {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t largest_file = 1 << 20;  // what a client asks for in earnest may be large; a disk is full then
constexpr int patience_ms = 60'000;

// A place for files, with ways out of it.
class Place {
public:
    Place() {
        signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = std::min(limit.rlim_max, largest_file);
        setrlimit(RLIMIT_FSIZE, &limit);
        renew();
    }
    const std::string root() const { return (outside_.path() / "root").string(); }
    void renew() const {
        fs::remove_all(root());
        fs::create_directory(root());
        fs::create_symlink("..", root() + "/up");
        fs::create_symlink("/etc/passwd", root() + "/away");
        std::ofstream(root() + "/data") << "some bytes that are there";
    }
    bool is_left() const { return std::distance(fs::directory_iterator(outside_.path()), {}) != 1; }

private:
    const support::ScratchDirectory outside_;
};

void serve(base::Descriptor socket, const std::string& root) {
    process::Rights rights;
    rights.channels = false;  // nothing of this input should reach others
    const auto here = std::make_shared<const process::Root>(root, rights);
    process::Agent agent(Lifetime::of_its_connections, process::file_openers(here, process::store_of(here)));
    agent.serve(std::move(socket), true);
    agent.run();
}

void run_server(std::span<const std::byte> input) {
    static const Place place;
    static int runs = 0;
    if (++runs % 200 == 0) place.renew();
    const Payload wire = wire_of(input);
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    const base::Descriptor client(sockets[0]);
    std::thread service(serve, base::Descriptor(sockets[1]), place.root());
    std::thread sends([&] {
        for (std::size_t sent = 0; sent < wire.size();) {
            const ssize_t now = ::send(client.get(), wire.data() + sent, wire.size() - sent, MSG_NOSIGNAL);
            if (now <= 0) break;  // it has closed the connection already
            sent += static_cast<std::size_t>(now);
        }
        ::shutdown(client.get(), SHUT_WR);
    });
    std::vector<std::byte> answers(1 << 16);
    for (pollfd arrived{client.get(), POLLIN, 0};;) {
        const int ready = ::poll(&arrived, 1, patience_ms);
        if (ready < 0 && errno == EINTR) continue;  // libFuzzer looks at its clock by a signal
        EXPECT_GT(ready, 0) << "the service does not end";
        if (::recv(client.get(), answers.data(), answers.size(), 0) <= 0) break;
    }
    sends.join();
    service.join();
    EXPECT_FALSE(place.is_left());
}

Sent question(Type type, std::uint32_t session, std::uint64_t request, Payload payload) {
    return {{type, 0, session, 0, request, 0}, std::move(payload)};
}

Sent greeting() {
    return question(Type::hello, 0, 0, encode(Hello{1, newest_version, 7, largest_frame, {}, "a foe"}));
}

std::vector<Payload> valid_server() {
    const FileOpen open{"data", {true, true, true, false, false, 0600}, {std::byte{7}}, true};
    Payload write = encode_layout_head({{{5, 2, {{2, 9}}}}});
    write.append(std::as_bytes(std::span("abcd", 4)));
    const auto call = [](std::uint64_t request, FileFunction function, std::int64_t value) {
        return question(Type::file_call, 1, request, encode(FileCall{function, value}));
    };
    const std::vector<Sent> file = {greeting(),
                                    question(Type::file_open, 0, 1, encode(open)),
                                    question(Type::file_write, 1, 2, write),
                                    question(Type::file_read, 1, 3, encode_layout_head({{{0, 3, {{4, 7}}}, {60, 2, {}}}})),
                                    call(4, FileFunction::preallocate, 100),
                                    call(5, FileFunction::shared_add, 1),
                                    call(6, FileFunction::lock, 0),
                                    call(7, FileFunction::unlock, 0),
                                    call(8, FileFunction::set_size, 30),
                                    call(9, FileFunction::size, 0),
                                    call(10, FileFunction::digest, -1),
                                    call(11, FileFunction::sync, 0),
                                    call(12, FileFunction::close, 0)};
    const std::vector<Sent> errands = {greeting(),
                                       question(Type::file_claim, 0, 1, encode(FileClaim{{std::byte{4}}, 1})),
                                       question(Type::file_about, 0, 2, {}),
                                       question(Type::file_list, 0, 3, encode(FileList{"/", ""})),
                                       question(Type::file_look, 0, 4, encode(FileLook{"up/../data"})),
                                       question(Type::file_rename, 0, 5, encode(FileRename{"data", "other"})),
                                       question(Type::file_remove, 0, 6, encode(FileRemove{"../other"})),
                                       question(Type::file_channel, 0, 7, encode(FileChannel{1000}))};
    Payload compressed = input_of({greeting(), file[1]});
    Payload shorter = input_of({file[2]});
    shorter[said_bytes - 1] = std::byte{said_compress};
    compressed.append(shorter);
    return {input_of(file), input_of(errands), compressed};
}

}  // namespace

const Target server_target{"server", run_server, valid_server};

}  // namespace kumihimo::iod::test
