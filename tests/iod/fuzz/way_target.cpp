// What says where files on other machines are: hosts.toml, metafiles, names. The first byte says which of them the others are.
// What is wrong is an error with the file's name in front; what is right says nothing that a command line could misread.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "iod/way/hosts.hpp"
#include "iod/way/metafile.hpp"
#include "iod/way/name.hpp"
#include "tests/iod/fuzz/target.hpp"

namespace kumihimo::iod::test {
namespace {

constexpr const char* file_named = "/there/some.toml";

template <typename Read>
void expect_named_errors(Read&& read) {
    try {
        read();
    } catch (const base::Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(file_named)) << error.what();
    }
}

bool is_option(const std::string& text) {
    return text.starts_with('-');
}

void try_hosts(const std::string& text) {
    expect_named_errors([&] {
        for (const std::string& host : way::hosts_named_in(text, file_named)) {
            const way::HostEntry entry = way::entry_in(text, file_named, host);
            for (const std::string& word : {entry.address, entry.user, entry.port, entry.root, entry.program, entry.router}) {
                EXPECT_FALSE(is_option(word)) << word;
                EXPECT_EQ(word.find_first_of(" \n\"'$`;&|<>()"), std::string::npos) << word;
            }
            EXPECT_FALSE(is_option(entry.mpi_program));
            for (const way::Gateways& gateways : entry.ways)
                for (const std::string& gateway : gateways) EXPECT_TRUE(way::is_gateway(gateway) && !is_option(gateway));
        }
    });
}

// The stripes of all files are the whole: each place is in the share of its file, and no byte before it is behind it.
void try_metafile(const std::string& text) {
    expect_named_errors([&] {
        const way::Spread spread = way::parse_metafile(file_named, text);
        ASSERT_TRUE(spread.stripe > 0 && !spread.files.empty());
        for (const std::int64_t offset : {std::int64_t{0}, spread.stripe - 1, spread.stripe, 7 * spread.stripe / 2}) {
            const auto place = spread.place_of(offset);
            ASSERT_LT(place.file, spread.files.size());
            EXPECT_TRUE(place.left > 0 && place.left <= spread.stripe);
            EXPECT_EQ(spread.end_of_whole(place.file, place.offset + 1), offset + 1);
            std::int64_t all = 0;
            for (std::size_t file = 0; file < spread.files.size(); ++file) all += spread.share(file, offset);
            EXPECT_EQ(all, offset);
        }
    });
}

void try_name(const std::string& text) {
    way::Name name, again;
    if (!way::parse(text, name).ok()) return;
    const std::string told = name.text();
    EXPECT_TRUE(way::parse(told.substr(told.find(':') + 1), again).ok()) << told;
    EXPECT_EQ(again.text(), told);
    EXPECT_TRUE(name.path.starts_with('/') && !is_option(name.user) && !is_option(name.host) && way::is_port(name.port));
}

constexpr void (*of_text[])(const std::string&) = {try_hosts, try_metafile, try_name};

void run_way(std::span<const std::byte> input) {
    if (input.empty()) return;
    const auto rest = input.subspan(1);
    of_text[static_cast<std::size_t>(input[0]) % std::size(of_text)]({reinterpret_cast<const char*>(rest.data()), rest.size()});
}

std::vector<Payload> valid_way() {
    const std::pair<std::uint8_t, std::string_view> texts[] = {
        {0,
         "[hosts.centre]\naddress = \"login.centre.example.org\"\nuser = 'alice'\nport = 2222\nroot = \"/scratch\"\n"
         "iod = \"bin/kumihimo-iod\"\nmpi = \"mpiexec -n 1 kumihimo-iod-mpi\"\ngateways = [\"g@gate:22\"]\n"
         "[hosts.\"two\"]\ngateways = [[\"one\"], [\"two\", \"inner\"]] # two ways\nrouter = \"iod\"\n"},
        {0, "hosts = { a = { port = 0x16 }, b.user = \"x\" }\n"},
        {1, "stripe = \"4M\"\nfiles = [\"stampi://centre/u.0\", \"u.1\", '../u.2']\n"},
        {1, "files = [\n  \"\"\"u\"\"\", # first\n]\nstripe = 1_000_000\n"},
        {2, "//alice@login.example.org:22/a/b"},
        {2, "//[fe80::1%eth0]:22/a"},
        {2, "///a"}};
    std::vector<Payload> all;
    for (const auto& [which, text] : texts) {
        Payload input(1, std::byte{which});
        input.append(std::as_bytes(std::span(text)));
        all.push_back(std::move(input));
    }
    return all;
}

}  // namespace

const Target way_target{"way", run_way, valid_way};

}  // namespace kumihimo::iod::test
