#include "mpiio/engine/stampi/way.hpp"

#include <sstream>

#include "base/format.hpp"
#include "base/settings.hpp"
#include "mpiio/engine/failures.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

std::vector<std::string> words_in(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

void append(std::vector<std::string>& words, std::vector<std::string> more) {
    words.insert(words.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Nobody can answer a question of a job's process, so ssh must not ask (the user's agent or key file does); and a connection
// that says nothing for half a minute is lost.
std::vector<std::string> ssh_to(const Name& name) {
    std::vector<std::string> words = words_in(base::setting("KUMIHIMO_STAMPI_SSH"));
    append(words,
           {"-T", "-oBatchMode=yes", "-oServerAliveInterval=10", "-oServerAliveCountMax=3", "-oClearAllForwardings=yes"});
    if (!name.port.empty()) append(words, {"-p", name.port});
    append(words, {"--", name.user.empty() ? name.host : name.user + "@" + name.host});
    append(words, words_in(base::setting("KUMIHIMO_STAMPI_IOD")));
    append(words, {"--stdio"});
    return words;
}

}  // namespace

iod::Route route_to(const Name& name) {
    iod::Route route;
    route.command = words_in(base::setting("KUMIHIMO_STAMPI_COMMAND"));
    if (route.command.empty()) route.command = ssh_to(name);
    route.host = name.host;
    route.patience = static_cast<std::uint32_t>(base::setting_number("KUMIHIMO_STAMPI_PATIENCE"));
    return route;
}

iod::Routed begin_way(const iod::Route& route, std::optional<iod::Agent>& agent) {
    return answer_or_why([&] {
        agent.emplace(iod::Agent::start(fmt::format("the I/O process on the way to {}", route.host)));
        return agent->route(route);
    });
}

}  // namespace kumihimo::mpiio::stampi
