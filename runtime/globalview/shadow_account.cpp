#include "runtime/globalview/shadow_account.hpp"

#include <algorithm>
#include <limits>

namespace kumihimo::globalview {

namespace {

// Then something is forgotten: a finding may be missed, none is false.
constexpr std::size_t most_records = 256, most_events = 64;
constexpr Index everywhere = std::numeric_limits<Index>::max() / 4;

}  // namespace

ShadowAccount::ShadowAccount(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates) {
    for (int d = 0; d < mapping.rank(); ++d) {
        const int along = mapping.node_dimension(d);
        dimensions_.push_back({mapping.owned(d, along < 0 ? 0 : coordinates[along]), mapping.lower(d), mapping.upper(d),
                               mapping.shadow(d).lower, mapping.shadow(d).upper, mapping.shadow(d).full});
    }
}

Index ShadowAccount::Dimension::image(Index index) const {
    const Index extent = upper - lower + 1;
    return ((index - lower) % extent + extent) % extent + lower;
}

// A neighbour's shadow below its block mirrors the highest of this node's, and the other way round.
bool ShadowAccount::Dimension::mirrored(Index index) const {
    return full || owned.empty() || index < owned.lowest() + above || index > owned.highest() - below;
}

sets::IndexSet ShadowAccount::Dimension::rim() const {
    if (full || owned.empty()) return owned;
    const Index end = owned.lowest() + above, begin = std::max(owned.highest() - below + 1, end);
    std::vector<sets::Piece> pieces;
    for (const auto& [first, last] : {std::pair(owned.lowest(), end - 1), std::pair(begin, owned.highest())})
        if (first <= last) pieces.push_back({first, last - first + 1, last - first + 1, 1});
    return sets::IndexSet(std::move(pieces)).intersect(owned);
}

bool ShadowAccount::owns(const std::vector<Index>& element) const {
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
        if (!dimensions_[d].owned.contains(element[d])) return false;
    return true;
}

bool ShadowAccount::mirrored(const XMP_Index* element) const {
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
        if (dimensions_[d].mirrored(element[d])) return true;
    return false;
}

void ShadowAccount::for_each_mirrored(const Box& box, const std::function<void(const std::vector<Index>&)>& visit) const {
    std::vector<Index> element(box.size());
    const std::function<void(const Box&, std::size_t)> along = [&](const Box& part, std::size_t d) {
        if (d == part.size()) return visit(element);
        part[d].for_each_run([&](Index first, Index length) {
            for (element[d] = first; element[d] < first + length; ++element[d]) along(part, d + 1);
        });
    };
    for (std::size_t d = 0; d < box.size(); ++d) {
        Box part = box;
        for (std::size_t k = 0; k < box.size(); ++k)
            part[k] = part[k].intersect(k == d ? dimensions_[k].rim() : dimensions_[k].owned);
        if (!empty(part)) along(part, 0);
    }
}

std::vector<std::vector<Index>> ShadowAccount::copies(const std::vector<Index>& element) const {
    std::vector<std::vector<Index>> found{element};
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        const Index extent = dimensions_[d].upper - dimensions_[d].lower + 1;
        for (const Index distance : {-extent, extent}) {
            found.push_back(element);
            found.back()[d] += distance;
        }
    }
    return found;
}

void ShadowAccount::written(const XMP_Site* site, const Box& elements) {
    if (empty(elements)) return;
    ++now_;
    for (auto record = records_.begin(); record != records_.end(); ++record) {
        if (record->site != site) continue;
        const bool alone = events_.empty() || events_.back().epoch < record->epoch;
        if (!(alone ? join(record->elements, elements) : same(elements, record->elements))) continue;
        record->epoch = now_;
        std::rotate(record, record + 1, records_.end());
        return;
    }
    if (records_.size() == most_records) records_.erase(records_.begin());
    records_.push_back({site, elements, now_});
}

void ShadowAccount::filled(const std::vector<ReflectWidth>& widths, bool orthogonal) {
    Event event{{}, orthogonal, 0};
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        const Dimension& dimension = dimensions_[d];
        if (dimension.owned.empty()) return;  // nothing is stored here
        if (widths[d].full)
            event.spans.push_back({-everywhere, everywhere, false});
        else
            event.spans.push_back(
                {dimension.owned.lowest() - widths[d].lower, dimension.owned.highest() + widths[d].upper, widths[d].periodic});
    }
    add(std::move(event));
}

void ShadowAccount::filled_here(const Box& elements) {
    if (empty(elements)) return;
    log.doubt();
    Event event{{}, false, 0};
    for (const sets::IndexSet& set : elements) event.spans.push_back({set.lowest(), set.highest(), true});
    add(std::move(event));
}

// An event that repeats an older one takes its place. Writes that it covers wholly are no longer of interest.
void ShadowAccount::add(Event event) {
    event.epoch = ++now_;
    const auto same_spans = [&](const Event& other) {
        return other.orthogonal == event.orthogonal &&
               std::equal(event.spans.begin(), event.spans.end(), other.spans.begin(), [](const Span& a, const Span& b) {
                   return a.first == b.first && a.last == b.last && a.periodic == b.periodic;
               });
    };
    if (!event.orthogonal)  // else what was carried in between may come from the older one
        std::erase_if(events_, same_spans);
    else if (!events_.empty() && same_spans(events_.back()))
        events_.pop_back();
    if (events_.size() == most_events) {
        forget();
        return;
    }
    events_.push_back(std::move(event));
    const bool periodic = std::any_of(events_.begin(), events_.end(), [](const Event& other) {
        return std::any_of(other.spans.begin(), other.spans.end(), [](const Span& span) { return span.periodic; });
    });
    const Box shadow = stored(periodic);
    std::erase_if(records_, [&](const Record& record) { return !uncovered(shadow, &record); });
}

// What this node stores, beyond the ends of the array only where a reflect fills that.
Box ShadowAccount::stored(bool beyond) const {
    Box box;
    for (const Dimension& dimension : dimensions_) {
        if (dimension.owned.empty()) return Box(dimensions_.size());
        Index first = dimension.owned.lowest() - dimension.below, last = dimension.owned.highest() + dimension.above;
        if (dimension.full) first = dimension.lower, last = dimension.upper;
        if (!beyond) first = std::max(first, dimension.lower), last = std::min(last, dimension.upper);
        box.push_back(sets::IndexSet::interval(first, last));
    }
    return box;
}

void ShadowAccount::forget() {
    log.doubt();
    records_.clear();
    events_.clear();
    Event event{{}, false, 0};
    event.spans.assign(dimensions_.size(), {-everywhere, everywhere, true});
    add(std::move(event));
}

// Those of the dimensions in which an element lies outside of what the node owns, but within the widths of a reflect. None if
// it lies there beyond the end of the array, and the reflect does not go round.
ShadowAccount::Dimensions ShadowAccount::filled_by(const Event& event, const std::vector<Index>& element,
                                                   Dimensions outside) const {
    Dimensions filled = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        const Span& span = event.spans[d];
        if ((outside >> d & 1) == 0 || element[d] < span.first || element[d] > span.last) continue;
        if (dimensions_[d].beyond(element[d]) && !span.periodic) return 0;
        filled |= 1u << d;
    }
    return filled;
}

// Whether the element has been filled after `since`. In dimensions beyond its widths a reflect carries what the neighbour had
// in its own shadow there, which was filled by then as this node's was (decision COM-20).
bool ShadowAccount::covered(const std::vector<Index>& element, Dimensions outside, Epoch since, Epoch before) const {
    for (auto event = events_.rbegin(); event != events_.rend() && event->epoch > since; ++event) {
        if (event->epoch >= before) continue;
        const Dimensions filled = filled_by(*event, element, outside), carried = outside & ~filled;
        if (filled == 0 || (event->orthogonal && (outside & (outside - 1)) != 0)) continue;
        if (carried == 0 || covered(element, carried, since, event->epoch)) return true;
    }
    return false;
}

std::vector<Index> ShadowAccount::representatives(int d, const sets::IndexSet& read, const sets::IndexSet* written) const {
    const Dimension& dimension = dimensions_[d];
    std::vector<Index> found;
    const sets::IndexSet inside = read.intersect(sets::IndexSet::interval(dimension.lower, dimension.upper));
    const sets::IndexSet both = written != nullptr ? inside.intersect(*written) : inside;
    const sets::IndexSet own = both.intersect(dimension.owned);
    if (!own.empty()) found.push_back(own.lowest());
    if (own.size() < both.size()) {
        if (!dimension.owned.contains(both.lowest())) found.push_back(both.lowest());
        if (!dimension.owned.contains(both.highest())) found.push_back(both.highest());
        if (found.size() == (own.empty() ? 0u : 1u)) {  // both ends are owned: some element between them is not
            for (Index index = both.lowest(); found.size() < 2; ++index)
                if (both.contains(index) && !dimension.owned.contains(index)) found.push_back(index);
        }
    }
    const auto was_written = [&](Index index) { return written == nullptr || written->contains(dimension.image(index)); };
    for (Index index = read.lowest(); index < dimension.lower && index <= read.highest(); ++index)
        if (read.contains(index) && was_written(index)) {
            found.push_back(index);
            break;
        }
    for (Index index = read.highest(); index > dimension.upper && index >= read.lowest(); --index)
        if (read.contains(index) && was_written(index)) {
            found.push_back(index);
            break;
        }
    return found;
}

// An element of the shadow that is read and that no reflect has filled since the record (none: ever, beyond the array's ends).
// Nothing is said of corners beyond the ends: what one reflect carries there others may have filled in many ways.
std::optional<std::vector<Index>> ShadowAccount::uncovered(const Box& read, const Record* record) const {
    std::vector<std::vector<Index>> choices;
    for (std::size_t d = 0; d < read.size(); ++d) {
        choices.push_back(representatives(static_cast<int>(d), read[d], record != nullptr ? &record->elements[d] : nullptr));
        if (choices.back().empty()) return std::nullopt;
    }
    std::vector<std::size_t> chosen(read.size(), 0);
    std::vector<Index> element(read.size());
    while (true) {
        Dimensions outside = 0;
        bool beyond = false;
        for (std::size_t d = 0; d < read.size(); ++d) {
            element[d] = choices[d][chosen[d]];
            if (!dimensions_[d].owned.contains(element[d])) outside |= 1u << d;
            beyond |= dimensions_[d].beyond(element[d]);
        }
        const bool corner = (outside & (outside - 1)) != 0;
        const Epoch since = record != nullptr ? record->epoch : 0;
        if (outside != 0 && (record != nullptr || beyond) && !(corner && beyond) && !covered(element, outside, since, now_ + 1))
            return element;
        std::size_t d = 0;
        while (d < read.size() && ++chosen[d] == choices[d].size()) chosen[d++] = 0;
        if (d == read.size()) return std::nullopt;
    }
}

std::optional<ShadowAccount::Finding> ShadowAccount::outdated(const Box& read) const {
    if (empty(read) || empty(stored(true))) return std::nullopt;
    bool outside = false;
    for (std::size_t d = 0; d < read.size() && !outside; ++d)
        outside = read[d].intersect(dimensions_[d].owned).size() < read[d].size();
    if (!outside) return std::nullopt;
    if (auto element = uncovered(read, nullptr)) return Finding{std::move(*element), nullptr};
    for (auto record = records_.rbegin(); record != records_.rend(); ++record)
        if (auto element = uncovered(read, &*record)) return Finding{std::move(*element), record->site};
    return std::nullopt;
}

}  // namespace kumihimo::globalview
