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

std::string setting_or(const char* name, const std::string& of_hosts_file) {
    return base::setting_is_set(name) ? base::setting(name) : first_of(of_hosts_file, base::setting(name));
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
    if (entry.ways.empty()) entry.ways.emplace_back();
    Machine machine = {first_of(name.user, entry.user),
                       first_of(entry.address, name.host),
                       first_of(name.port, entry.port),
                       std::move(entry.root),
                       setting_or("KUMIHIMO_STAMPI_IOD", entry.program),
                       setting_or("KUMIHIMO_STAMPI_MPI", entry.mpi_program),
                       setting_or("KUMIHIMO_STAMPI_ROUTER", entry.router),
                       std::move(entry.ways)};
    const std::string routers = base::setting("KUMIHIMO_STAMPI_ROUTERS");
    if (!routers.empty() && !machine.is_this()) machine.ways = ways_in(routers);
    return machine;
}

std::string path_here(const Machine& machine, const Name& name) {
    return machine.root.empty() ? name.path : machine.root + name.path;
}

std::string path_there(const Machine& machine, const Name& name, Storing::By by) {
    return by == Storing::posix ? name.path : path_here(machine, name);
}

namespace {

// A connection that says nothing for half a minute is lost.
std::vector<std::string> ssh(Questions questions) {
    std::vector<std::string> words = words_in(base::setting("KUMIHIMO_STAMPI_SSH"));
    append(words, {"-T", "-oServerAliveInterval=10", "-oServerAliveCountMax=3", "-oClearAllForwardings=yes"});
    if (questions == Questions::never) append(words, {"-oBatchMode=yes"});
    return words;
}

// As a shell takes it, and ssh before it, for which % is special.
std::string as_it_is(const std::string& word) {
    std::string text = "'";
    for (const char letter : word) text += letter == '\'' ? "'\\''" : letter == '%' ? "%%" : std::string(1, letter);
    return text + "'";
}

// What ssh starts to reach the machine behind the last of these gateways: on each of them the router, which passes the next
// session on as it is. So no gateway sees what is in it.
std::string proxy_through(const Gateways& way, const std::string& router, Questions questions) {
    std::string proxy;
    for (const std::string& gateway : way) {
        std::vector<std::string> words = ssh(questions);
        if (!proxy.empty()) append(words, {"-oProxyCommand=" + proxy});
        const std::size_t port = gateway.find(':', gateway.find('@') + 1);
        if (port != std::string::npos) append(words, {"-p", gateway.substr(port + 1)});
        append(words, {"--", gateway.substr(0, port), router, "--router"});
        proxy.clear();
        for (const std::string& word : words) proxy += as_it_is(word) + " ";
        proxy += "%h %p";
    }
    return proxy;
}

}  // namespace

std::vector<std::string> ssh_to(const Machine& machine, Questions questions, const Gateways& way) {
    std::vector<std::string> words = ssh(questions);
    if (!way.empty() && machine.router.empty()) append(words, {"-J", fmt::format("{}", fmt::join(way, ","))});
    if (!way.empty() && !machine.router.empty())
        append(words, {"-oProxyCommand=" + proxy_through(way, machine.router, questions)});
    if (!machine.port.empty()) append(words, {"-p", machine.port});
    append(words, {"--", machine.user.empty() ? machine.address : machine.user + "@" + machine.address});
    return words;
}

namespace {

// The shell of the other machine must take it as it is.
bool is_plain(const std::string& text) {
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/+-") == std::string::npos;
}

std::vector<std::string> service(const Machine& machine, const Storing& storing) {
    std::vector<std::string> words = words_in(storing.by == Storing::posix ? machine.program : machine.mpi_program);
    append(words, {"--stdio"});
    if (storing.by == Storing::posix) {
        if (!machine.root.empty()) append(words, {"--root", machine.root});
        return words;
    }
    if (storing.by == Storing::catwalk) append(words, {"--hint", "kumihimo_io=catwalk"});
    if (storing.by == Storing::catwalk && storing.shared) append(words, {"--shared"});
    for (const auto& [key, value] : storing.hints)
        if (is_plain(key) && is_plain(value)) append(words, {"--hint", key + "=" + value});
    return words;
}

Route route_on(const Machine& machine, Questions questions, const Gateways& way, const Storing& storing) {
    Route route;
    route.command = words_in(base::setting("KUMIHIMO_STAMPI_COMMAND"));
    if (route.command.empty()) {
        route.command = ssh_to(machine, questions, way);
        append(route.command, service(machine, storing));
    }
    route.host = machine.address;
    route.channel = base::setting_flag("KUMIHIMO_STAMPI_CHANNEL");
    route.compresses = base::setting_flag("KUMIHIMO_STAMPI_COMPRESSION");
    route.patience = static_cast<std::uint32_t>(base::setting_number("KUMIHIMO_STAMPI_PATIENCE"));
    return route;
}

}  // namespace

std::vector<Route> routes_to(const Machine& machine, Questions questions, const Storing& storing) {
    std::vector<Route> routes;
    for (const Gateways& way : machine.ways) routes.push_back(route_on(machine, questions, way, storing));
    return routes;
}

Route route_to(const Machine& machine, Questions questions, const Storing& storing) {
    return route_on(machine, questions, machine.ways.front(), storing);
}

}  // namespace kumihimo::iod::way
