#include "iod/client/widening.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "iod/client/agent.hpp"
#include "iod/link/random_bytes.hpp"

namespace kumihimo::iod {

// The file is there, and its shared pointer is the first way's business: what this one makes for it has a name of its own.
Widening::Widening(std::vector<Route> further, std::size_t different, FileOpen open)
    : routes_(std::move(further)), different_(different), open_(std::move(open)), most_(1 + routes_.size()) {
    for (Route& route : routes_) route.ranks = 1;
    open_.mode.create = open_.mode.exclusive = open_.mode.delete_on_close = false;
    open_.first = true;
}

void Widening::begin(std::size_t ways) {
    for (std::size_t way = 0; way < ways; ++way)
        if (!begin_one()) most_ = 1;
}

bool Widening::begin_one() try {
    Route route = routes_.at(next_++);
    const WayThere way = LostWays::of_process().prepare(route);
    Link link = Agent::start(fmt::format("the I/O process on another way to {}", route.host)).take_link();
    const std::uint64_t asked = link.connection.request(Type::route, 0, encode(route));
    begun_.push_back({std::move(link), asked, std::move(route), way});
    return true;
} catch (const std::exception&) {
    return false;
}

std::optional<Stream> Widening::step(Begun& begun) {
    Connection& connection = begun.link.connection;
    if (!connection.answered(begun.asked)) return std::nullopt;
    const Payload answer = connection.answer(begun.asked);
    if (!begun.routed) {
        const Status reached = decode<Routed>(answer).status;
        if (!reached.ok()) throw ConnectionLost(reached);
        LostWays::of_process().ended(begun.route);
        const Opening random = process::random_name();
        std::copy(random.begin() + common_opening_bytes, random.end(), open_.opening.begin() + common_opening_bytes);
        begun.asked = connection.request(Type::file_open, 0, encode(open_));
        begun.routed = true;
        return std::nullopt;
    }
    const FileOpened opened = decode<FileOpened>(answer);
    if (!opened.status.ok()) throw ConnectionLost(opened.status);
    return Stream{std::move(begun.link), opened.session, 0, begun.way};
}

std::optional<Stream> Widening::ready() {
    for (auto begun = begun_.begin(); begun != begun_.end();) {
        try {
            if (auto stream = step(*begun)) {
                begun_.erase(begun);
                return stream;
            }
            ++begun;
        } catch (const std::exception&) {
            begun = begun_.erase(begun);
            most_ = 1;
        }
    }
    return std::nullopt;
}

}  // namespace kumihimo::iod
