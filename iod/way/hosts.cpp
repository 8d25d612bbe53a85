#include "iod/way/hosts.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/toml.hpp"
#include "iod/way/name.hpp"

namespace kumihimo::iod::way {

namespace {

constexpr const char* keys = "address, user, port, root, iod, mpi, gateways, router";

std::string from_environment(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

[[noreturn]] void wrong(const std::string& path, const toml::node& node, const std::string& why) {
    throw base::Error(fmt::format("{}:{}: {}", path, node.source().begin.line, why));
}

class Section {
public:
    Section(const std::string& path, const std::string& host, const toml::table& table)
        : path_(path), host_(host), table_(table) {}

    HostEntry read() const {
        HostEntry entry;
        for (const auto& [key, value] : table_) take(std::string(key.str()), value, entry);
        return entry;
    }

private:
    void take(const std::string& key, const toml::node& value, HostEntry& entry) const {
        if (key == "address") return text(value, key, entry.address, is_host);
        if (key == "user") return text(value, key, entry.user, is_user);
        if (key == "root") return text(value, key, entry.root, is_word);
        if (key == "iod") return text(value, key, entry.program, is_word);
        if (key == "router") return text(value, key, entry.router, is_word);
        if (key == "mpi") return text(value, key, entry.mpi_program, are_words);
        if (key == "port") return port(value, entry);
        if (key == "gateways") return gateways(value, entry);
        wrong(path_, value, fmt::format("host '{}': unknown key '{}'; there are {}", host_, key, keys));
    }
    // The other machine's shell takes it apart.
    static bool are_words(const std::string& text) {
        return text.front() != '-' && text.find_first_of("\t\n\"'\\$`;&|<>()*?[]{}!#~") == std::string::npos;
    }
    static bool is_word(const std::string& text) { return are_words(text) && text.find(' ') == std::string::npos; }
    void text(const toml::node& value, const std::string& key, std::string& to, bool (*fits)(const std::string&)) const {
        const auto found = value.value<std::string>();
        if (!found || found->empty() || !fits(*found))
            wrong(path_, value, fmt::format("host '{}': {} is no text that can stand there", host_, key));
        to = *found;
    }
    void port(const toml::node& value, HostEntry& entry) const {
        const auto found = value.value<std::int64_t>();
        if (!found || *found < 1 || *found > 65535) wrong(path_, value, fmt::format("host '{}': port is 1 to 65535", host_));
        entry.port = std::to_string(*found);
    }
    // A list of hosts is one way, a list of lists several.
    void gateways(const toml::node& value, HostEntry& entry) const {
        const toml::array* const list = value.as_array();
        if (list == nullptr) wrong(path_, value, fmt::format("host '{}': gateways is a list of hosts", host_));
        const bool several = !list->empty() && list->front().is_array();
        if (!several && !list->empty()) entry.ways.push_back(way(*list));
        if (!several) return;
        for (const toml::node& one : *list) {
            if (!one.is_array())
                wrong(path_, one,
                      fmt::format("host '{}': gateways are all of one way, or all in lists, one for each way", host_));
            entry.ways.push_back(way(*one.as_array()));
        }
    }
    Gateways way(const toml::array& list) const {
        Gateways found;
        for (const toml::node& one : list) {
            const auto gateway = one.value<std::string>();
            if (!gateway || !is_gateway(*gateway))
                wrong(path_, one, fmt::format("host '{}': a gateway is [user@]host[:port]", host_));
            found.push_back(*gateway);
        }
        return found;
    }

    const std::string& path_;
    const std::string& host_;
    const toml::table& table_;
};

// None: there is no such file.
std::optional<std::string> read_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    std::ifstream stream(path);
    std::ostringstream text;
    if (!(text << stream.rdbuf()) && status.st_size > 0)
        throw base::Error(fmt::format("{} cannot be read: {}", path, base::errno_text(errno)));
    return text.str();
}

// The table [hosts]; empty: there is none.
toml::table hosts_in(const std::string& text, const std::string& path) {
    try {
        toml::table file = base::parse_toml(text, path);
        for (const auto& [key, value] : file)
            if (key.str() != "hosts" || !value.is_table())
                wrong(path, value, fmt::format("unknown section '{}': write [hosts.NAME]", key.str()));
        toml::table* const hosts = file["hosts"].as_table();
        return hosts != nullptr ? std::move(*hosts) : toml::table{};
    } catch (const toml::parse_error& error) {
        throw base::Error(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
    }
}

}  // namespace

// "gate", "alice@gate:2222"
bool is_gateway(const std::string& text) {
    const std::size_t at = text.find('@');
    const std::string rest = at == std::string::npos ? text : text.substr(at + 1);
    const std::size_t colon = rest.find(':');
    const std::string host = rest.substr(0, colon);
    return (at == std::string::npos || (at > 0 && is_user(text.substr(0, at)))) && !host.empty() && is_host(host) &&
           (colon == std::string::npos || is_port(rest.substr(colon + 1)));
}

std::string hosts_file() {
    const std::string configuration = from_environment("XDG_CONFIG_HOME");
    return (configuration.empty() ? from_environment("HOME") + "/.config" : configuration) + "/kumihimo/hosts.toml";
}

HostEntry entry_in(const std::string& text, const std::string& path, const std::string& host) {
    const toml::table hosts = hosts_in(text, path);
    const toml::node* const found = hosts.get(host);
    if (found == nullptr) return {};
    if (!found->is_table()) wrong(path, *found, fmt::format("write [hosts.{}] and its keys: {}", host, keys));
    return Section(path, host, *found->as_table()).read();
}

std::vector<std::string> hosts_named_in(const std::string& text, const std::string& path) {
    std::vector<std::string> names;
    for (const auto& [key, value] : hosts_in(text, path)) names.emplace_back(key.str());
    return names;
}

HostEntry entry_of(const std::string& host) {
    const std::string path = hosts_file();
    const auto text = read_file(path);
    return text ? entry_in(*text, path, host) : HostEntry{};
}

std::vector<std::string> known_hosts() {
    const std::string path = hosts_file();
    const auto text = read_file(path);
    return text ? hosts_named_in(*text, path) : std::vector<std::string>{};
}

}  // namespace kumihimo::iod::way
