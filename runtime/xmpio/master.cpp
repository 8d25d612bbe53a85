#include "runtime/xmpio/master.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/globalview/shadow_checks.hpp"
#include "runtime/xmpio/master_units.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t most_collected = std::size_t{1} << 20;
constexpr int status_end = -1, status_record_end = -2;  // IOSTAT_END, IOSTAT_EOR of gfortran

int handler_of(int status) {
    if (status == status_end) return XMP_IO_HANDLES_END;
    return status == status_record_end ? XMP_IO_HANDLES_RECORD_END : XMP_IO_HANDLES_ERROR;
}

const char* handler_name(int status) {
    if (status == status_end) return "END";
    return status == status_record_end ? "EOR" : "ERR";
}

Section whole_section(const sets::ArrayMapping& mapping) {
    Section section;
    for (int d = 0; d < mapping.rank(); ++d) section.push_back({mapping.lower(d), mapping.extent(d), 1});
    return section;
}

}  // namespace

// What the master tells the others, in the order of its statement.
struct MasterStatement::Command {
    enum Kind { gather, scatter, items, stop, end } kind;
    Index first = 0, last = 0;  // positions; `last` of `items`: their bytes; `first` of `end`: the status
    int array = 0;
    std::array<Range, sets::max_rank> section{};
};

MasterStatement::Command MasterStatement::command_of(int kind, int number, const Section& section, Index first, Index last) {
    Command command{static_cast<Command::Kind>(kind), first, last, number, {}};
    std::copy(section.begin(), section.end(), command.section.begin());
    return command;
}

MasterStatement::MasterStatement(const XMP_Site* site, Use use, std::vector<const execution::Array*> arrays, const int* status)
    : site_(site),
      use_(use),
      executing_(execution::Context::get().executing()),
      team_(teams::Team::of(executing_)),
      arrays_(std::move(arrays)),
      windows_(arrays_.size()),
      expected_(arrays_.size()),
      status_(status) {
    if (!execution::Context::get().may_communicate())
        throw base::Error("communication inside a task with the nocomm clause", "Remove nocomm from the task.");
    for (const execution::Array* const array : arrays_)
        if (!array->allocated())
            throw base::Error(fmt::format("array {} is not allocated", array->name), "Allocate it before this.");
    globalview::expect_same(executing_, site, [] { return "master I/O"; });
}

void MasterStatement::connect(int unit, int connection) {
    check_unit(unit, executing_->world_rank(root), connection);
    unit_ = {unit, connection};
}

// ---- global arrays ----

Index MasterStatement::window_elements(int number) const {
    const std::size_t bytes = array(number).element_bytes;
    const Index all = elements(whole_section(*array(number).mapping));
    return std::min(all, static_cast<Index>(std::max<std::size_t>(window_bytes / std::max<std::size_t>(bytes, 1), 1)));
}

Section MasterStatement::section(int number, const Index* triplets) const {
    const execution::Array& array = this->array(number);
    if (triplets == nullptr) return whole_section(*array.mapping);
    Section section;
    for (int d = 0; d < array.rank; ++d) {
        const Index first = triplets[3 * d], last = triplets[3 * d + 1], step = triplets[3 * d + 2];
        if (step == 0) throw base::Error("the step of an implied do is 0", "Give another step.");
        const Range range{first, std::max<Index>((last - first + step) / step, 0), step};
        for (const Index index : {range.first, range.last()})
            if (range.count > 0 && (index < array.mapping->lower(d) || index > array.mapping->upper(d)))
                throw base::Error(fmt::format("subscript {} of dimension {} of {} is outside {}:{}", index, d + 1, array.name,
                                              array.mapping->lower(d), array.mapping->upper(d)),
                                  "Dimensions count from the left, starting at 1.");
        section.push_back(range);
    }
    return section;
}

Index MasterStatement::begin_array(int number, const Index* triplets) {
    deliver();
    settle_all(&array(number));
    if (*status_ != 0 && triplets != nullptr) return 0;  // its bounds may be what could not be read
    array_ = number;
    section_ = section(number, triplets);
    position_ = 0;
    const Index window = window_elements(number);
    return window == 0 ? 0 : (elements(section_) + window - 1) / window;
}

Index MasterStatement::next_piece(int number) {
    deliver();
    const Index first = position_;
    position_ = std::min(elements(section_), first + window_elements(number));
    request(number, first, position_);
    return position_ - first;
}

void MasterStatement::expect(int number, const Index* triplets) {
    deliver();
    settle_all(&array(number));
    if (*status_ == 0) expected_[static_cast<std::size_t>(number)] = {section(number, triplets)};
}

// One message has as many elements as the window; what is read goes to the owners when the window is full.
Index MasterStatement::next_expected(int number) {
    Expected& expected = expected_[static_cast<std::size_t>(number)];
    if (expected.next == expected.last) {
        settle(number);
        expected.last = std::min(elements(expected.section), expected.first + window_elements(number));
        if (use_ == Use::write || use_ == Use::update)
            pass(command_of(Command::gather, number, expected.section, expected.first, expected.last));
    }
    return expected.next++ - expected.first;
}

void MasterStatement::settle(int number) {
    Expected& expected = expected_[static_cast<std::size_t>(number)];
    const bool given = *status_ == 0 || use_ == Use::update;
    if (changes() && given && expected.first < expected.next)
        pass(command_of(Command::scatter, number, expected.section, expected.first, expected.next));
    expected.first = expected.last = expected.next;
}

// Of one array, or of all (null): what comes next may be the same elements.
void MasterStatement::settle_all(const execution::Array* of) {
    for (int number = 0; number < static_cast<int>(arrays_.size()); ++number)
        if (of == nullptr || &array(number) == of) settle(number);
}

Index MasterStatement::element(int number, const Index* subscripts) {
    const Expected& expected = expected_[static_cast<std::size_t>(number)];
    if (*status_ == 0 && !expected.section.empty() && expected.next < elements(expected.section)) return next_expected(number);
    deliver();
    settle_all(&array(number));
    if (*status_ != 0) return 0;
    std::array<Index, 3 * sets::max_rank> triplets{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(array(number).rank); ++d) {
        triplets[3 * d] = triplets[3 * d + 1] = subscripts[d];
        triplets[3 * d + 2] = 1;
    }
    begin_array(number, triplets.data());
    request(number, 0, 1);
    return 0;
}

// The window gets the elements, where the statement needs what they were; what it reads goes to their owners later.
void MasterStatement::request(int number, Index first, Index last) {
    if (*status_ != 0 || use_ == Use::count) return;
    if (!changes() || use_ == Use::update) pass(command_of(Command::gather, number, section_, first, last));
    if (changes()) pending_ = std::make_unique<Command>(command_of(Command::scatter, number, section_, first, last));
}

// What the statement has read into the window, if it has.
void MasterStatement::deliver() {
    const auto command = std::move(pending_);
    if (command == nullptr || (*status_ != 0 && use_ != Use::update)) return;
    pass(*command);
}

void MasterStatement::pass(const Command& command) {
    tell(command);
    move(command);
}

void MasterStatement::move(const Command& command) {
    const SectionAtOneNode& section = section_of(command);
    std::byte* const window = windows_[static_cast<std::size_t>(command.array)];
    if (command.kind == Command::gather)
        section.gather(command.first, command.last, window);
    else
        section.scatter(command.first, command.last, window);
}

const SectionAtOneNode& MasterStatement::section_of(const Command& command) {
    const execution::Array& array = this->array(command.array);
    const Section section(command.section.begin(), command.section.begin() + array.rank);
    if (transfer_ == nullptr || command.array != transferred_array_ || section != transferred_) {
        transfer_ = std::make_unique<SectionAtOneNode>(array, section, executing_, root, changes());
        transferred_array_ = command.array;
        transferred_ = section;
    }
    return *transfer_;
}

// ---- between the master and the others ----

void MasterStatement::tell(const Command& command) {
    if (command.kind != Command::items) send_collected();
    Command copy = command;
    team_.broadcast(&copy, sizeof copy, root);
}

void MasterStatement::listen() {
    Command command{Command::stop, 0, 0, 0, {}};
    team_.broadcast(&command, sizeof command, root);
    switch (command.kind) {
        case Command::gather:
        case Command::scatter:
            return move(command);
        case Command::items:
            collected_.resize(static_cast<std::size_t>(command.last));
            taken_ = 0;
            return team_.broadcast(collected_.data(), collected_.size(), root);
        case Command::stop:
            stopped_ = true;
            return;
        case Command::end:
            ended_ = static_cast<int>(command.first);
    }
}

void MasterStatement::send_collected() {
    if (collected_.empty()) return;
    tell({Command::items, 0, static_cast<Index>(collected_.size()), 0, {}});
    team_.broadcast(collected_.data(), collected_.size(), root);
    collected_.clear();
}

void MasterStatement::put(const void* value, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(value);
    while (bytes > 0) {
        const std::size_t now = std::min(bytes, most_collected - collected_.size());
        collected_.insert(collected_.end(), from, from + now);
        from += now;
        bytes -= now;
        if (collected_.size() == most_collected) send_collected();
    }
}

void MasterStatement::take(void* value, std::size_t bytes) {
    auto* to = static_cast<std::byte*>(value);
    while (bytes > 0) {
        while (taken_ == collected_.size()) listen();
        const std::size_t now = std::min(bytes, collected_.size() - taken_);
        std::memcpy(to, collected_.data() + taken_, now);
        to += now;
        taken_ += now;
        bytes -= now;
    }
}

// Behind a failure the statement may name variables by what it has not read: they stay as they are, but for the one where it
// failed.
void MasterStatement::item(void* value, std::size_t bytes) {
    if (!is_master()) {
        while (!stopped_ && taken_ == collected_.size()) listen();
        if (!stopped_) output(value, bytes);
        return;
    }
    deliver();
    if (stopped_ || team_.size() == 1) return;
    output(value, bytes);
    if (*status_ == 0) return;
    tell({Command::stop, 0, 0, 0, {}});
    stopped_ = true;
}

void MasterStatement::output(void* value, std::size_t bytes) {
    if (team_.size() == 1) return;
    auto length = static_cast<Index>(bytes);
    if (is_master()) {
        deliver();
        put(&length, sizeof length);
        return put(value, bytes);
    }
    take(&length, sizeof length);
    if (static_cast<std::size_t>(length) != bytes)
        throw base::Error(fmt::format("a variable of a master I/O statement has {} here, but {} on the node that reads it",
                                      base::counted(static_cast<long long>(bytes), "byte"),
                                      base::counted(static_cast<long long>(length), "byte")),
                          "Give it the same length on all nodes.");
    take(value, bytes);
}

int MasterStatement::end(int handled, char* message, std::size_t message_bytes) {
    if (is_master()) {
        deliver();
        settle_all(nullptr);
        ended_ = *status_;
        if (team_.size() > 1) tell({Command::end, *ended_, 0, 0, {}});
    }
    while (!ended_) listen();
    if (changes())
        for (const execution::Array* const array : arrays_) globalview::note_unknown(*array);
    if (*ended_ == 0 && unit_) note_unit(site_, unit_->number, executing_->world_rank(root), unit_->connection);
    if (*ended_ == 0) return 0;
    team_.broadcast(message, message_bytes, root);
    if ((handler_of(*ended_) & handled) == 0) fail(message, message_bytes);
    return *ended_;
}

// The master tells it, and ends the job: the others wait for that.
void MasterStatement::fail(const char* message, std::size_t message_bytes) const {
    if (!is_master())
        while (true) team_.barrier();
    std::string text(message, message_bytes);
    text.erase(text.find_last_not_of(' ') + 1);
    throw base::Error(fmt::format("{} (IOSTAT={})", text, *ended_),
                      fmt::format("Give the statement IOSTAT or {}, to go on in such a case.", handler_name(*ended_)));
}

}  // namespace kumihimo::xmpio

using namespace kumihimo;
using xmpio::MasterStatement;

struct XMP_Io {
    const XMP_Site* site;
    MasterStatement statement;
};

XMP_Io* XMP_Io_begin(const XMP_Site* site, int use, int count, const XMP_Array* const* arrays, const int* status) {
    return execution::guarded(site, [&] {
        std::vector<const execution::Array*> all;
        for (int n = 0; n < count; ++n) all.push_back(&execution::array_of(arrays[n]));
        return new XMP_Io{site, {site, static_cast<MasterStatement::Use>(use), std::move(all), status}};
    });
}

void XMP_Io_unit(XMP_Io* io, int unit, int connection) {
    execution::guarded(io->site, [&] { io->statement.connect(unit, connection); });
}

int XMP_Io_is_master(const XMP_Io* io) {
    return io->statement.is_master();
}

XMP_Index XMP_Io_window(XMP_Io* io, int array) {
    return execution::guarded(io->site, [&] { return io->statement.window_elements(array); });
}

void XMP_Io_use(XMP_Io* io, int array, void* window) {
    io->statement.set_window(array, static_cast<std::byte*>(window));
}

XMP_Index XMP_Io_pieces(XMP_Io* io, int array, const XMP_Index* section) {
    return execution::guarded(io->site, [&] { return io->statement.begin_array(array, section); });
}

XMP_Index XMP_Io_next(XMP_Io* io, int array) {
    return execution::guarded(io->site, [&] { return io->statement.next_piece(array); });
}

void XMP_Io_expect(XMP_Io* io, int array, const XMP_Index* section) {
    execution::guarded(io->site, [&] { io->statement.expect(array, section); });
}

XMP_Index XMP_Io_element(XMP_Io* io, int array, const XMP_Index* subscripts) {
    return execution::guarded(io->site, [&] { return io->statement.element(array, subscripts); });
}

void XMP_Io_item(XMP_Io* io, void* value, size_t bytes) {
    execution::guarded(io->site, [&] { io->statement.item(value, bytes); });
}

void XMP_Io_output(XMP_Io* io, void* value, size_t bytes) {
    execution::guarded(io->site, [&] { io->statement.output(value, bytes); });
}

int XMP_Io_end(XMP_Io* io, int handled, char* message, size_t message_bytes) {
    const std::unique_ptr<XMP_Io> ends(io);
    return execution::guarded(io->site, [&] { return io->statement.end(handled, message, message_bytes); });
}
