#include "runtime/xmpio/exchange.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/settings.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr int message_tag = 1;
constexpr Index largest_grain = Index{1} << 20;  // domains end at multiples of it: file systems lock and stripe by such units
constexpr Index direct_bytes = Index{64} << 10;  // from here on a call of its own beats a copy

// One buffer for the process, kept: fresh memory costs a page fault for every 4 KiB.
std::byte* buffer_of(Index bytes) {
    static std::unique_ptr<std::byte[]> memory;
    static Index capacity = 0;
    if (capacity < bytes) {
        memory.reset();
        memory.reset(new std::byte[bytes]);
        capacity = bytes;
    }
    return memory.get();
}

// Messages of one round and the memory they need.
class Messages {
public:
    explicit Messages(MPI_Comm comm) : comm_(comm) {}
    ~Messages() {
        for (MPI_Request& request : requests_) complete(request, comm_);
    }
    std::byte* receive(std::size_t bytes, int rank) {
        std::byte* const memory = staging(bytes);
        MPI_Irecv(memory, static_cast<int>(bytes), MPI_BYTE, rank, message_tag, comm_, &requests_.emplace_back());
        return memory;
    }
    void send(const std::byte* memory, std::size_t bytes, int rank) {
        MPI_Isend(memory, static_cast<int>(bytes), MPI_BYTE, rank, message_tag, comm_, &requests_.emplace_back());
    }
    std::byte* staging(std::size_t bytes) { return memory_.emplace_back(new std::byte[bytes]).get(); }
    void wait(std::size_t posted) { complete(requests_[posted], comm_); }  // receives are posted first

private:
    MPI_Comm comm_;
    std::vector<MPI_Request> requests_;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace

Exchange::Exchange(const File& file, const execution::Array& array, const Section& section, Index position, bool direct)
    : file_(file),
      array_(array),
      mapping_(*array.mapping),
      position_(position),
      element_bytes_(static_cast<Index>(array.element_bytes)),
      total_(elements(section)),
      direct_(direct),
      me_(array.set->my_number()),
      nodes_(array.set->size()),
      section_(section),
      replicated_(mapping_.replicated_node_dimensions()),
      parts_(nodes_) {
    const Index buffer_bytes = std::clamp<Index>(base::setting_number("KUMIHIMO_XMPIO_BUFFER"), 4096, Index{1} << 30);
    chunk_elements_ = std::max<Index>(1, buffer_bytes / element_bytes_);
    for (const int rank : array.set->world_ranks()) ranks_.push_back(file.set().number_of(rank));
}

const Part& Exchange::part(int number) {
    if (!parts_[number])
        parts_[number].emplace(mapping_, array_.element_bytes, section_, mapping_.target().grid().coordinates(number));
    return *parts_[number];
}

bool Exchange::writer(int number) const {
    const std::vector<Index> coordinates = mapping_.target().grid().coordinates(number);
    return std::all_of(replicated_.begin(), replicated_.end(), [&](int dimension) { return coordinates[dimension] == 0; });
}

Index Exchange::own_bytes() const {
    return Part(mapping_, array_.element_bytes, section_, mapping_.target().grid().coordinates(me_)).elements() *
           element_bytes_;
}

bool Exchange::runs_are_long() const {
    return mean_run_bytes(mapping_, array_.element_bytes, section_) >= base::setting_number("KUMIHIMO_XMPIO_RUN");
}

std::optional<Failure> Exchange::write() {
    if (nodes_ == 1 || runs_are_long()) return writer(me_) ? write_runs() : std::nullopt;
    return write_domains();
}

std::optional<Failure> Exchange::read() {
    const bool copies = std::any_of(replicated_.begin(), replicated_.end(),
                                    [&](int dimension) { return mapping_.target().grid().extents()[dimension] > 1; });
    if (nodes_ == 1 || (!copies && runs_are_long())) return read_runs();
    return read_domains();  // replicas are read once and spread
}

// ---- runs ----

// Neighbouring runs that follow each other in the file make one piece.
template <typename Visit>
void Exchange::for_each_own_piece(Visit&& visit) {
    const Part& mine = part(me_);
    Interval piece{0, 0};
    const auto extend = [&](Index begin, Index end) {
        if (begin != piece.end) {
            if (piece.begin < piece.end) visit(piece.begin, piece.end, static_cast<const Run*>(nullptr));
            piece.begin = begin;
        }
        piece.end = end;
    };
    mine.for_each_run(0, total_, [&](const Run& run) {
        if (run.position_step != 1 && run.count > 1) {
            for (Index i = 0; i < run.count; ++i)
                extend(run.position + i * run.position_step, run.position + i * run.position_step + 1);
            return;
        }
        const bool straight = run.offset_step == element_bytes_ || run.count == 1;
        if (!straight || run.count * element_bytes_ < direct_bytes) return extend(run.position, run.position + run.count);
        extend(run.position, run.position);
        if (piece.begin < piece.end) visit(piece.begin, piece.end, static_cast<const Run*>(nullptr));
        visit(run.position, run.position + run.count, &run);
        piece = {run.position + run.count, run.position + run.count};
    });
    if (piece.begin < piece.end) visit(piece.begin, piece.end, static_cast<const Run*>(nullptr));
}

std::optional<Failure> Exchange::write_packed(Index begin, Index end) {
    std::byte* const buffer = buffer_of(chunk_elements_ * element_bytes_);
    for (std::optional<Failure> failure; begin < end; begin += chunk_elements_) {
        const Index stop = std::min(end, begin + chunk_elements_);
        gather(part(me_), begin, stop, static_cast<std::byte*>(array_.base), buffer);
        if ((failure = file_.write(offset(begin), buffer, (stop - begin) * element_bytes_))) return failure;
    }
    return std::nullopt;
}

std::optional<Failure> Exchange::write_runs() {
    std::optional<Failure> failure;
    for_each_own_piece([&](Index begin, Index end, const Run* run) {
        if (failure) return;
        failure = run == nullptr ? write_packed(begin, end)
                                 : file_.write(offset(begin), static_cast<std::byte*>(array_.base) + run->offset,
                                               (end - begin) * element_bytes_);
    });
    return failure;
}

namespace {

// Rows of memory in the order of the file. Rows of one length at equal distances, as a block of a matrix has, need no list.
class Rows {
public:
    void add(std::ptrdiff_t offset, std::size_t bytes) {
        if (count_ == 0) first_ = offset, bytes_ = bytes;
        if (count_ == 1) step_ = offset - first_;
        regular_ = regular_ && bytes == bytes_ && offset == first_ + static_cast<std::ptrdiff_t>(count_) * step_;
        ++count_;
        if (regular_) return;
        while (lengths_.size() + 1 < count_) list(first_ + static_cast<std::ptrdiff_t>(lengths_.size()) * step_, bytes_);
        list(offset, bytes);
    }
    std::size_t count() const { return count_; }
    std::ptrdiff_t first() const { return first_; }
    // Relative to the first row; committed.
    MPI_Datatype type() const {
        MPI_Datatype type;
        if (regular_)
            MPI_Type_create_hvector(static_cast<int>(count_), static_cast<int>(bytes_), step_, MPI_BYTE, &type);
        else
            MPI_Type_create_hindexed(static_cast<int>(count_), lengths_.data(), displacements_.data(), MPI_BYTE, &type);
        MPI_Type_commit(&type);
        return type;
    }

private:
    void list(std::ptrdiff_t offset, std::size_t bytes) {
        displacements_.push_back(offset - first_);
        lengths_.push_back(static_cast<int>(bytes));
    }
    std::size_t count_ = 0, bytes_ = 0;
    std::ptrdiff_t first_ = 0, step_ = 0;
    bool regular_ = true;
    std::vector<int> lengths_;
    std::vector<MPI_Aint> displacements_;
};

}  // namespace

// Open MPI reads rows to their places without a copy of its own; a short count or an error is left to the packed way.
bool Exchange::read_scattered(Index begin, Index end) {
    constexpr Index shortest_row = 2048, largest_call = Index{1} << 30;
    const Index bytes = (end - begin) * element_bytes_;
    if (bytes > largest_call) return false;
    const auto most_rows = static_cast<std::size_t>(bytes / shortest_row);
    Rows rows;
    bool straight = true;
    part(me_).for_each_run(begin, end, [&](const Run& run) {
        const bool row = run.count == 1 || (run.offset_step == element_bytes_ && run.position_step == 1);
        straight = straight && row && rows.count() < most_rows;
        if (straight) rows.add(run.offset, run.count * element_bytes_);
    });
    if (!straight || rows.count() == 0) return false;
    MPI_Datatype type = rows.type();
    MPI_Status status;
    int arrived = 0;  // datatypes, so 1 if everything did
    if (MPI_File_read_at(file_.handle(), offset(begin), static_cast<std::byte*>(array_.base) + rows.first(), 1, type,
                         &status) == MPI_SUCCESS)
        MPI_Get_count(&status, type, &arrived);
    MPI_Type_free(&type);
    return arrived == 1;
}

std::optional<Failure> Exchange::read_packed(Index begin, Index end) {
    std::byte* const buffer = buffer_of(chunk_elements_ * element_bytes_);
    for (; begin < end; begin += chunk_elements_) {
        const Index stop = std::min(end, begin + chunk_elements_);
        if (auto failure = read_all(offset(begin), buffer, (stop - begin) * element_bytes_)) return failure;
        scatter(part(me_), begin, stop, buffer, static_cast<std::byte*>(array_.base));
    }
    return std::nullopt;
}

std::optional<Failure> Exchange::read_runs() {
    std::optional<Failure> failure;
    for_each_own_piece([&](Index begin, Index end, const Run* run) {
        if (failure) return;
        if (run != nullptr)
            failure =
                read_all(offset(begin), static_cast<std::byte*>(array_.base) + run->offset, (end - begin) * element_bytes_);
        else if (!read_scattered(begin, end))
            failure = read_packed(begin, end);
    });
    return failure;
}

// The file was long enough when the call began.
std::optional<Failure> Exchange::read_all(Index position, std::byte* to, Index bytes) const {
    Index moved = 0;
    auto failure = file_.read(position, to, bytes, moved);
    if (!failure && moved < bytes) failure = Failure{-1, "'" + file_.name() + "' ended while it was read"};
    return failure;
}

// ---- domains ----

void Exchange::cut() {
    const Index grain = std::min(largest_grain, chunk_elements_ * element_bytes_);
    const Index share = (total_ * element_bytes_ + nodes_ - 1) / nodes_;
    boundaries_.assign(nodes_ + 1, total_);
    boundaries_[0] = 0;
    for (int number = 1; number < nodes_; ++number) {
        const Index aligned = ceiling_divide(position_ + number * share, grain) * grain;
        boundaries_[number] = std::min(total_, ceiling_divide(aligned - position_, element_bytes_));
    }
    for (int number = 0; number < nodes_; ++number)
        rounds_ = std::max(rounds_, ceiling_divide(boundaries_[number + 1] - boundaries_[number], chunk_elements_));
    buffer_ = buffer_of(std::min(chunk_elements_, total_) * element_bytes_);
}

Exchange::Interval Exchange::chunk(int number, Index round) const {
    const Index begin = std::min(boundaries_[number + 1], boundaries_[number] + round * chunk_elements_);
    return {begin, std::min(boundaries_[number + 1], begin + chunk_elements_)};
}

void Exchange::collect(Interval mine, Index round) {
    if (direct_) {
        for (int number = 0; number < nodes_; ++number)
            if (writer(number)) gather(part(number), mine.begin, mine.end, array_.peer_base(number), buffer_);
        return;
    }
    Messages messages(file_.communicator());
    std::vector<std::pair<int, const std::byte*>> arriving;
    for (int number = 0; number < nodes_; ++number) {
        if (number == me_ || !writer(number)) continue;
        const Index count = part(number).elements(mine.begin, mine.end);
        if (count > 0) arriving.emplace_back(number, messages.receive(count * element_bytes_, ranks_[number]));
    }
    for (int number = 0; number < nodes_ && writer(me_); ++number) {
        const Interval theirs = chunk(number, round);
        const Index count = number == me_ ? 0 : part(me_).elements(theirs.begin, theirs.end);
        if (count == 0) continue;
        std::byte* const packed = messages.staging(count * element_bytes_);
        messages.send(packed, pack(part(me_), theirs.begin, theirs.end, static_cast<std::byte*>(array_.base), packed),
                      ranks_[number]);
    }
    if (writer(me_)) gather(part(me_), mine.begin, mine.end, static_cast<std::byte*>(array_.base), buffer_);
    for (std::size_t i = 0; i < arriving.size(); ++i) {
        messages.wait(i);
        unpack_whole(part(arriving[i].first), mine.begin, mine.end, arriving[i].second, buffer_);
    }
}

void Exchange::spread(Interval mine, Index round) {
    if (direct_) {
        for (int number = 0; number < nodes_; ++number)
            scatter(part(number), mine.begin, mine.end, buffer_, array_.peer_base(number));
        return;
    }
    Messages messages(file_.communicator());
    std::vector<std::pair<Interval, const std::byte*>> arriving;
    for (int number = 0; number < nodes_; ++number) {
        const Interval theirs = chunk(number, round);
        const Index count = number == me_ ? 0 : part(me_).elements(theirs.begin, theirs.end);
        if (count > 0) arriving.emplace_back(theirs, messages.receive(count * element_bytes_, ranks_[number]));
    }
    for (int number = 0; number < nodes_; ++number) {
        const Index count = number == me_ ? 0 : part(number).elements(mine.begin, mine.end);
        if (count == 0) continue;
        std::byte* const packed = messages.staging(count * element_bytes_);
        messages.send(packed, pack_whole(part(number), mine.begin, mine.end, buffer_, packed), ranks_[number]);
    }
    scatter(part(me_), mine.begin, mine.end, buffer_, static_cast<std::byte*>(array_.base));
    for (std::size_t i = 0; i < arriving.size(); ++i) {
        messages.wait(i);
        unpack(part(me_), arriving[i].first.begin, arriving[i].first.end, arriving[i].second,
               static_cast<std::byte*>(array_.base));
    }
}

std::optional<Failure> Exchange::write_domains() {
    cut();
    std::optional<Failure> failure;
    for (Index round = 0; round < rounds_; ++round) {
        const Interval mine = chunk(me_, round);
        collect(mine, round);
        if (!failure && mine.begin < mine.end)
            failure = file_.write(offset(mine.begin), buffer_, (mine.end - mine.begin) * element_bytes_);
    }
    return failure;
}

std::optional<Failure> Exchange::read_domains() {
    cut();
    std::optional<Failure> failure;
    for (Index round = 0; round < rounds_; ++round) {
        const Interval mine = chunk(me_, round);
        const Index bytes = (mine.end - mine.begin) * element_bytes_;
        if (!failure && bytes > 0) failure = read_all(offset(mine.begin), buffer_, bytes);
        spread(mine, round);
    }
    return failure;
}

}  // namespace kumihimo::xmpio
