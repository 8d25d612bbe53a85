#include "iod/records/run_merge.hpp"

#include <algorithm>

namespace kumihimo::iod {

RunMerge::RunMerge(std::vector<std::unique_ptr<SortedRun>> runs) {
    heads_.reserve(runs.size());
    for (std::unique_ptr<SortedRun>& run : runs) {
        heads_.emplace_back().run = std::move(run);
        heads_.back().load();
    }
}

void RunMerge::Head::load() {
    data = {};
    while (at == piece.places.size()) {
        at = at_byte = 0;
        piece.clear();
        if (!run->next(piece)) return;
    }
    begin = piece.places[at].offset;
    data = std::span(piece.bytes).subspan(at_byte, piece.places[at].bytes);
    at_byte += piece.places[at++].bytes;
}

void RunMerge::Head::skip_to(Offset offset) {
    while (!data.empty() && end() <= offset) load();
    if (data.empty() || begin >= offset) return;
    data = data.subspan(static_cast<std::size_t>(offset - begin));
    begin = offset;
}

// Of those that begin at the same place the latest run's. Runs are few: each is as long as the buffer, or longer.
RunMerge::Head* RunMerge::lowest() {
    Head* found = nullptr;
    for (Head& head : heads_)
        if (!head.data.empty() && (found == nullptr || head.begin <= found->begin)) found = &head;
    return found;
}

// As far as no later run begins; earlier runs lose what lies under it.
void RunMerge::take(Head& head, Batch& batch) {
    Offset end = head.end();
    for (Head* later = &head + 1; later != heads_.data() + heads_.size(); ++later)
        if (!later->data.empty()) end = std::min(end, later->begin);
    batch.add(head.begin, head.data.first(static_cast<std::size_t>(end - head.begin)));
    for (Head* one = heads_.data(); one <= &head; ++one) one->skip_to(end);
}

bool RunMerge::next(Batch& batch, std::size_t bytes) {
    batch.clear();
    while (batch.bytes.size() < bytes) {
        Head* const head = lowest();
        if (head == nullptr) break;
        take(*head, batch);
    }
    return !batch.empty();
}

}  // namespace kumihimo::iod
