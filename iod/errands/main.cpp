// kumihimo-files: what `kumihimo files`, `kumihimo doctor --host` and `kumihimo iod` do with files of other machines
// (commands/remote). Each line of standard output is a JSON object; the last one has the event "failed" if it failed.
//   kumihimo-files way NAME             which machine it is and how it is reached; connects with nobody
//   kumihimo-files about NAME           what serves files there
//   kumihimo-files look NAME            what is there
//   kumihimo-files list NAME            of a directory
//   kumihimo-files digest NAME [NAME]   of whole files
//   kumihimo-files copy FROM TO
//   kumihimo-files gather METAFILE TO
//   kumihimo-files scatter FROM METAFILE
//   kumihimo-files remove NAME
//   kumihimo-files speed DIRECTORY BYTES
// NAME may be stampi+meta:METAFILE, a file that lies in several, for look, list, digest, copy and remove.
// Exit codes: 0 done, 1 failed, 2 not understood.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "iod/errands/copying.hpp"
#include "iod/errands/said.hpp"
#include "iod/errands/speed.hpp"
#include "iod/errands/spreading.hpp"

namespace {

using namespace kumihimo::iod;
using namespace kumihimo::iod::errands;
using Words = std::vector<std::string>;

void tell_way(const Words& words) {
    const Place place = place_of(words[0]);
    Said said("way");
    said.truth("here", place.here).text("path", place.path).text("hosts_file", way::hosts_file());
    said.list("hosts", way::known_hosts());
    if (place.here) return;
    said.text("address", place.machine.address).text("root", place.machine.root).text("program", place.machine.program);
    said.text("mpi", place.machine.mpi_program);
    const way::Gateways& first = place.machine.ways.front();
    said.list("ssh", way::ssh_to(place.machine, way::Questions::never, first));
    said.list("ssh_with_questions", way::ssh_to(place.machine, way::Questions::at_the_terminal, first));
    said.number("ways", static_cast<std::int64_t>(place.machine.ways.size()));
    said.list("command", way::route_to(place.machine).command);
}

// With a second word: of the service by MPI-IO.
void tell_about(const Words& words) {
    Service service(place_of(words[0]), words.size() > 1 ? way::Storing::mpi : way::Storing::posix);
    const About about = service->about();
    expect(about.status);
    Said("about")
        .text("version", about.version)
        .text("root", about.root)
        .text("home", about.home)
        .truth("read_only", about.read_only)
        .number("protocol", std::int64_t{service.version()})
        .number("own_protocol", std::int64_t{newest_version});
}

void say_file(const Looked& looked, const std::string& path) {
    expect(looked.status);
    Said("file").facts(looked.facts).text("path", path).number("free_bytes", looked.free_bytes);
}

void say_whole(const std::string& metafile) {
    say_file(look_at_whole(metafile), metafile);
}

void look(const Words& words) {
    by_name(
        words[0], [](const Place& place) { say_file(Service(place)->look({place.path}), place.path); }, say_whole);
}

void list_place(const Place& place) {
    Service service(place);
    const Looked looked = service->look({place.path});
    expect(looked.status);
    if (looked.facts.kind != FileKind::directory) {
        Said("file").facts(looked.facts);
        return;
    }
    std::string after;
    for (Listed listed{{}, {}, true}; listed.more; after = listed.entries.empty() ? after : listed.entries.back().name) {
        listed = service->list({place.path, after});
        expect(listed.status);
        for (const FileFacts& facts : listed.entries) Said("file").facts(facts);
        if (listed.entries.empty()) break;
    }
}

void list(const Words& words) {
    by_name(words[0], list_place, say_whole);
}

void say_digest(const std::string& name, const Digest& digest) {
    Said("digest").text("name", name).number("bytes", digest.bytes).text("digest", digest_text(digest.value));
}

// At the same time.
void digest(const Words& words) {
    std::vector<std::future<Digest>> digests;
    for (const std::string& word : words)
        digests.push_back(std::async(std::launch::async, [&word] { return by_name(word, digest_of, digest_of_whole); }));
    for (std::size_t i = 0; i < words.size(); ++i) say_digest(words[i], digests[i].get());
}

// Some of a second's steps are enough for a bar.
class Steps {
public:
    void operator()(const char* phase, std::int64_t done, std::int64_t of) {
        const auto now = std::chrono::steady_clock::now();
        if (phase == phase_ && now < next_) return;
        phase_ = phase;
        next_ = now + std::chrono::milliseconds(100);
        Said("progress").text("phase", phase).number("done", done).number("of", of);
    }

private:
    std::string phase_;
    std::chrono::steady_clock::time_point next_;
};

void tell_copied(const Copied& copied) {
    Said("copied")
        .text("to", copied.to)
        .number("bytes", copied.bytes)
        .number("resumed_at", copied.resumed_at)
        .text("digest", digest_text(copied.digest));
}

void copy_file(const Words& words) {
    const auto from_one = [&](const Place& from) {
        return by_name(
            words[1], [&](const Place& to) { return copy(from, to, Steps()); },
            [&](const std::string& metafile) { return scatter(from, metafile, Steps()); });
    };
    const auto from_several = [&](const std::string& from) {
        return by_name(
            words[1], [&](const Place& to) { return gather(from, to, Steps()); },
            [](const std::string&) -> Copied { throw Failure("both lie in several files: gather one, and scatter that"); });
    };
    tell_copied(by_name(words[0], from_one, from_several));
}

void gather_files(const Words& words) {
    tell_copied(gather(words[0], place_of(words[1]), Steps()));
}

void scatter_file(const Words& words) {
    tell_copied(scatter(place_of(words[0]), words[1], Steps()));
}

void remove_file(const Words& words) {
    by_name(
        words[0], [](const Place& place) { expect(Service(place)->remove({place.path})); }, remove_whole);
    Said("removed").text("name", words[0]);
}

void speed(const Words& words) {
    const Place place = place_of(words[0]);
    const auto bytes = kumihimo::base::number_in(words[1]);
    if (!bytes) throw Failure(fmt::format("'{}' is no number of bytes", words[1]));
    Service service(place);
    const Speed found = measure(service, place.path, *bytes);
    Said("speed").real("round_trip", found.round_trip).real("write", found.write).real("read", found.read);
}

struct Errand {
    std::size_t least, most;  // words
    void (*perform)(const Words&);
};
const std::map<std::string, Errand>& all_errands() {
    static const std::map<std::string, Errand> all = {
        {"way", {1, 1, tell_way}},        {"about", {1, 2, tell_about}},
        {"look", {1, 1, look}},           {"list", {1, 1, list}},
        {"digest", {1, 2, digest}},       {"copy", {2, 2, copy_file}},
        {"remove", {1, 1, remove_file}},  {"speed", {2, 2, speed}},
        {"gather", {2, 2, gather_files}}, {"scatter", {2, 2, scatter_file}},
    };
    return all;
}

int fail(const std::string& why) {
    Said("failed").text("text", why);
    return 1;
}

}  // namespace

int main(int count, char** arguments) try {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const Words words(arguments + 1, arguments + count);
    const auto found = words.empty() ? all_errands().end() : all_errands().find(words[0]);
    if (found == all_errands().end() || words.size() - 1 < found->second.least || words.size() - 1 > found->second.most) {
        std::fputs("kumihimo-files serves `kumihimo files`; use that (kumihimo files --help).\n", stderr);
        return 2;
    }
    found->second.perform(Words(words.begin() + 1, words.end()));
    return 0;
} catch (const kumihimo::base::Error& error) {
    return fail(fmt::format("{}{}{}", error.what(), error.advice().empty() ? "" : ". ", error.advice()));
} catch (const std::exception& error) {
    return fail(error.what());
}
