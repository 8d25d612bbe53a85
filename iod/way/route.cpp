#include "iod/way/route.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::iod::way {

namespace {

std::vector<std::string> words_in(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

void append(std::vector<std::string>& words, std::vector<std::string> more) {
    words.insert(words.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool same(const std::string& a, const std::string& b) {
    return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string first_label(const std::string& host) {
    return host.substr(0, host.find('.'));
}

std::string own_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool is_own_user(const std::string& user) {
    const passwd* const entry = user.empty() ? nullptr : ::getpwnam(user.c_str());
    return user.empty() || (entry != nullptr && entry->pw_uid == ::geteuid());
}

// "one two,inner": two ways, the second of two gateways.
std::vector<Gateways> ways_in(const std::string& routers) {
    std::vector<Gateways> ways;
    for (const std::string& word : words_in(routers)) {
        std::istringstream stream(word);
        Gateways& way = ways.emplace_back();
        for (std::string gateway; std::getline(stream, gateway, ',');) {
            if (!is_gateway(gateway))
                throw base::Error(fmt::format("KUMIHIMO_STAMPI_ROUTERS: '{}' is no [user@]host[:port]", gateway));
            way.push_back(gateway);
        }
    }
    return ways;
}

std::string first_of(const std::string& said, const std::string& otherwise) {
    return said.empty() ? otherwise : said;
}

}  // namespace

bool Machine::is_this() const {
    const bool straight = std::ranges::all_of(ways, &Gateways::empty);
    if (!port.empty() || !straight || !is_own_user(user)) return false;
    const std::string own = own_name();
    return address.empty() || same(address, "localhost") ||
           (!own.empty() && (same(address, own) || same(address, first_label(own))));
}

Machine machine_of(const Name& name) {
    HostEntry entry = name.host.empty() ? HostEntry{} : entry_of(name.host);
    const bool said = base::setting_is_set("KUMIHIMO_STAMPI_IOD") || entry.program.empty();
    if (entry.ways.empty()) entry.ways.emplace_back();
    Machine machine = {first_of(name.user, entry.user),
                       first_of(entry.address, name.host),
                       first_of(name.port, entry.port),
                       std::move(entry.root),
                       said ? base::setting("KUMIHIMO_STAMPI_IOD") : std::move(entry.program),
                       std::move(entry.ways)};
    const std::string routers = base::setting("KUMIHIMO_STAMPI_ROUTERS");
    if (!routers.empty() && !machine.is_this()) machine.ways = ways_in(routers);
    return machine;
}

std::string path_here(const Machine& machine, const Name& name) {
    return machine.root.empty() ? name.path : machine.root + name.path;
}

// A connection that says nothing for half a minute is lost.
std::vector<std::string> ssh_to(const Machine& machine, Questions questions, const Gateways& way) {
    std::vector<std::string> words = words_in(base::setting("KUMIHIMO_STAMPI_SSH"));
    append(words, {"-T", "-oServerAliveInterval=10", "-oServerAliveCountMax=3", "-oClearAllForwardings=yes"});
    if (questions == Questions::never) append(words, {"-oBatchMode=yes"});
    if (!way.empty()) append(words, {"-J", fmt::format("{}", fmt::join(way, ","))});
    if (!machine.port.empty()) append(words, {"-p", machine.port});
    append(words, {"--", machine.user.empty() ? machine.address : machine.user + "@" + machine.address});
    return words;
}

namespace {

Route route_on(const Machine& machine, Questions questions, const Gateways& way) {
    Route route;
    route.command = words_in(base::setting("KUMIHIMO_STAMPI_COMMAND"));
    if (route.command.empty()) {
        route.command = ssh_to(machine, questions, way);
        append(route.command, words_in(machine.program));
        append(route.command, {"--stdio"});
        if (!machine.root.empty()) append(route.command, {"--root", machine.root});
    }
    route.host = machine.address;
    route.channel = base::setting_flag("KUMIHIMO_STAMPI_CHANNEL");
    route.compresses = base::setting_flag("KUMIHIMO_STAMPI_COMPRESSION");
    route.patience = static_cast<std::uint32_t>(base::setting_number("KUMIHIMO_STAMPI_PATIENCE"));
    return route;
}

}  // namespace

std::vector<Route> routes_to(const Machine& machine, Questions questions) {
    std::vector<Route> routes;
    for (const Gateways& way : machine.ways) routes.push_back(route_on(machine, questions, way));
    return routes;
}

Route route_to(const Machine& machine, Questions questions) {
    return route_on(machine, questions, machine.ways.front());
}

}  // namespace kumihimo::iod::way
