// gmove in and out (specification 4.5.2): the executing nodes alone read what they want from its owners, or write to them,
// whether those execute or not. A copy where the owner's memory is mapped here, else the transport's business. Nodes of the
// executing set wait for each other before and behind it; towards others the program synchronises (decision COM-04).
#pragma once

#include <memory>
#include <vector>

#include "runtime/globalview/async.hpp"
#include "runtime/globalview/gmove_exchange.hpp"
#include "runtime/localview/coarrays.hpp"

namespace kumihimo::globalview {

enum class GmoveMode { collective, in, out };

// The block of a global array on one of its nodes.
struct GmovePeer {
    std::byte* direct;  // mapped here, or null:
    std::shared_ptr<const localview::Blocks> blocks;
    int node;            // number in the entire set
    std::size_t offset;  // of the block in what the transport reaches
};

class OneSidedGmove {
public:
    // `peers` belong to the plan's incoming parts, or to its outgoing ones: there is one kind only. all_stage: the sides
    // overlap on every node, so all must have read before anybody writes.
    OneSidedGmove(const GmovePlan& plan, const GmoveMemory& memory, const std::vector<GmovePeer>& peers, bool all_stage,
                  Team& team);

    void run();  // collective over the executing set
    // The same but for what is complete only at the end of the returned operation; null: everything is.
    std::unique_ptr<Pending> start();

private:
    bool out() const { return !plan_.outgoing.empty(); }
    const std::vector<GmovePart>& parts() const { return out() ? plan_.outgoing : plan_.incoming; }
    void transfer();
    std::size_t buffer_elements(const GmovePart& part) const {
        return static_cast<std::size_t>(memory_.staged ? part.elements : std::min(piece_, part.elements));
    }
    void read(std::size_t place, Index first, Index count, std::byte* data) const;
    void write(std::size_t place, Index first, Index count, const std::byte* data) const;

    const GmovePlan& plan_;
    const GmoveMemory& memory_;
    const std::vector<GmovePeer>& peers_;
    const bool all_stage_;
    Team& team_;
    const Index piece_;
};

}  // namespace kumihimo::globalview
