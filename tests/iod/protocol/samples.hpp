// One message of every type with nothing left at its default, and a visit of all of them.
#pragma once

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

inline Token sample_token(int first) {
    Token token;
    for (std::size_t i = 0; i < token.size(); ++i) token[i] = static_cast<std::byte>(first + static_cast<int>(i));
    return token;
}
inline Status sample_status() {
    return {Code::no_space, "cannot write 'x' on node 2", "ENOSPC"};
}
inline Open sample_open() {
    Options options{Method::journal, false, Topology::tree, 4096, 1 << 24, 1 << 20, false, true, "/var/tmp"};
    return {"/scratch/result.nc", {true, true, true, true, true, 0640}, 3, 8, 2, 4, {1, 0}, options, true, {std::byte{5}},
            {"10.0.0.2"}};
}
inline Opened sample_opened() {
    return {sample_status(),
            9,
            {"10.0.0.1:4000", "[::1]:4000"},
            "kumihimo-1",
            {sample_token(1)},
            {{sample_token(2), sample_token(3)}, {}}};
}

inline FileFacts sample_facts() {
    return {"data", FileKind::link, 1ll << 41, 1'790'000'000, 0640};
}

// visit(message) for one of each.
template <typename Visit>
void each_sample(Visit&& visit) {
    visit(sample_status());
    visit(Hello{1, 2, 3, 8 << 20, sample_token(7), "agent of node 3"});
    visit(Welcome{1, 1, 8 << 20, "agent of node 0"});
    visit(sample_open());
    visit(sample_opened());
    visit(Attach{{Parent{true, {}, 0, {}}, Parent{false, {"h:1"}, 5, sample_token(9)}}});
    visit(Join{3});
    visit(Leave{1ull << 40});
    visit(Drain{1, 17, Purpose::close, 1ull << 33, sample_status()});
    visit(Drained{sample_status(), 1ll << 50});
    visit(Read{1, 1ll << 40, 4096, 77, true});
    visit(Call{1, Function::show, -5, 99});
    visit(Result{sample_status(), -1});
    visit(FileOpen{"data", {true, false, true, false, false, 0640}, {std::byte{6}}, true});
    visit(FileOpened{sample_status(), 7});
    visit(FileCall{FileFunction::digest, 1ll << 40});
    visit(FileRemove{"data"});
    visit(FileClaim{{std::byte{4}}, 20});
    visit(FileChannel{1ull << 40});
    visit(Channel{sample_status(), {"10.0.0.1:4000"}, sample_token(8)});
    visit(About{sample_status(), "1.2.3", "/scratch", "/home/alice", true});
    visit(FileLook{"data"});
    visit(Looked{sample_status(), sample_facts(), 1ull << 50});
    visit(FileList{"directory", "data"});
    visit(Listed{sample_status(), {sample_facts(), {}}, true});
    visit(FileRename{"old", "new"});
    visit(Counters{{"records in", 12.5}, {"seeks", 0.0}});
}

}  // namespace kumihimo::iod
