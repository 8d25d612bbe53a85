#include "runtime/xmpio/master_units.hpp"

#include <unordered_map>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"

namespace kumihimo::xmpio {

namespace {

struct Connection {
    int master;
    const XMP_Site* site;  // of the statement that made it
    bool ambiguous;        // open by newunit on several nodes, which may have got the same number
};

std::unordered_map<int, Connection>& connections() {
    static std::unordered_map<int, Connection> all;
    return all;
}

// Each node has its own standard input, output and error.
bool is_standard(int unit) {
    return unit == 0 || unit == 5 || unit == 6;
}

}  // namespace

void check_unit(int unit, int master, int connection) {
    const auto found = connections().find(unit);
    if (is_standard(unit) || connection == XMP_IO_OPENS_NEW || found == connections().end()) return;
    const auto& [before, site, ambiguous] = found->second;
    if (before == master || ambiguous) return;
    throw base::Error(
        fmt::format("unit {} is connected on node {}, by {}:{}: {}; the master of this statement is node {}", unit,
                    base::node_number(before), site->file, site->line, site->directive, base::node_number(master)),
        "Execute all statements on a unit with the same first node, or close it before.");
}

void note_unit(const XMP_Site* site, int unit, int master, int connection) {
    if (is_standard(unit)) return;
    if (connection == XMP_IO_CLOSES) {
        connections().erase(unit);
        return;
    }
    const auto [place, is_new] = connections().try_emplace(unit, Connection{master, site, false});
    if (!is_new && place->second.master != master) place->second.ambiguous = true;
}

}  // namespace kumihimo::xmpio
