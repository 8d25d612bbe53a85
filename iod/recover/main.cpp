// `kumihimo files recover` (commands/files.py): tells what a crash left of a file, replays or discards it.
//   kumihimo-recover list|replay|discard FILE [DIRECTORY ...]
// Exit codes: 0 nothing is left (any more), 1 something is, 2 it failed.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "iod/recover/report.hpp"

namespace {

using namespace kumihimo::iod::recover;

int refuse(const std::string& why) {
    std::fprintf(stderr, "kumihimo files recover: %s\n", why.c_str());
    return 2;
}

int replay_survivors(Survivors& survivors) {
    if (survivors.in_use()) {
        std::fputs("A running program writes the file: nothing was changed. Replay when it has ended.\n", stdout);
        return 1;
    }
    if (!survivors.replayable())
        return refuse(
            "the file was written after the journals, so what they hold is in it, or was overwritten: use --discard; nothing "
            "was changed");
    replay(survivors);
    remove(survivors, true);
    std::printf("replayed%s\n", survivors.damaged()
                                    ? ", but for what is damaged: its journal and the marks stay (--discard removes them)"
                                    : "");
    return survivors.damaged() ? 1 : 0;
}

int discard_survivors(const Survivors& survivors) {
    remove(survivors, false);
    std::printf("discarded%s\n", survivors.in_use() ? ", but for what a running program has in use" : "");
    return survivors.in_use() ? 1 : 0;
}

// A name that was mistyped must not look like a file that is well.
std::string mistake(const Survivors& survivors) {
    std::error_code ignored;
    if (std::filesystem::is_directory(survivors.file, ignored)) return "'" + survivors.file + "' is a directory: name one file";
    if (survivors.empty() && !std::filesystem::exists(survivors.file, ignored))
        return "there is no file '" + survivors.file + "', nor a journal of it";
    return "";
}

int run(const std::string& what, Survivors survivors) {
    if (const std::string why = mistake(survivors); !why.empty()) return refuse(why);
    std::fputs(report(survivors).c_str(), stdout);
    if (survivors.empty()) {
        if (what != "list") remove(survivors, false);
        return 0;
    }
    if (what == "replay") return replay_survivors(survivors);
    if (what == "discard") return discard_survivors(survivors);
    if (!survivors.left()) return 1;
    std::fputs(
        "Nothing was changed. --replay writes what the journals hold into the file, --discard keeps it as it is; both then\n"
        "take it for complete. What was in memory only is lost: whether the file is good enough, only you know.\n",
        stdout);
    return 1;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) return refuse("list, replay or discard, and a file (kumihimo files --help)");
    return run(argv[1], find_survivors(argv[2], std::vector<std::string>(argv + 3, argv + argc)));
} catch (const std::exception& error) {
    return refuse(error.what());
}
