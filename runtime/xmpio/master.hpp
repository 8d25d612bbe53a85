// Master I/O (specification D.3): the first node of the executing set executes the user's I/O statement, with the Fortran
// library's own formats and records; the others give it their elements of global arrays, and get theirs, and what it reads into
// other variables. The master tells them what it needs, in the order of the statement's items, whatever these are: nobody else
// has to know the statement. A piece of a global array at a time passes through a window of the master's memory (decision
// master-io).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/xmpio/one_node.hpp"

namespace kumihimo::xmpio {

class MasterStatement {
public:
    // What happens to the elements of global arrays: written to the file; read from it; read where some may be left out of the
    // file and keep their values; only counted.
    enum class Use { write, read, update, count };

    MasterStatement(const XMP_Site* site, Use use, std::vector<const execution::Array*> arrays, const int* status);

    void connect(int unit, int connection);  // all nodes; before the statement, behind it for a unit that it has chosen

    bool is_master() const { return team_.my_number() == root; }

    // ---- the master, while it executes the statement; arrays by their numbers ----
    Index window_elements(int array) const;
    void set_window(int array, std::byte* window) { windows_[static_cast<std::size_t>(array)] = window; }
    // How many pieces follow. triplets: first, last, step of each dimension, as Fortran has them; null: the whole array.
    Index begin_array(int array, const Index* triplets);
    Index next_piece(int array);  // the elements in the window
    // The next elements of these arrays are those of the section, in its order, other items between them.
    void expect(int array, const Index* triplets);
    // The element's place in the window.
    Index element(int array, const Index* subscripts);

    // ---- all nodes, in the same order ----
    void item(void* value, std::size_t bytes);    // of an input statement: as the master has read it
    void output(void* value, std::size_t bytes);  // what the statement tells besides: as the master has it
    // The status of the statement, for all. message: of a failure; `handled`: XMP_IO_HANDLES_... Ends the job where the
    // program handles no such failure.
    int end(int handled, char* message, std::size_t message_bytes);

private:
    static constexpr int root = 0;
    struct Command;
    // A section whose elements come one by one. first, last: positions of those in the window; next: of the one that comes.
    struct Expected {
        Section section;
        Index first = 0, last = 0, next = 0;
    };

    bool changes() const { return use_ == Use::read || use_ == Use::update; }
    const execution::Array& array(int number) const { return *arrays_[static_cast<std::size_t>(number)]; }
    static Command command_of(int kind, int number, const Section& section, Index first, Index last);
    void pass(const Command& command);
    const SectionAtOneNode& section_of(const Command& command);
    Section section(int number, const Index* triplets) const;
    void move(const Command& command);
    void request(int number, Index first, Index last);
    void deliver();
    Index next_expected(int number);
    void settle(int number);
    void settle_all(const execution::Array* of);

    void tell(const Command& command);
    void listen();
    void put(const void* value, std::size_t bytes);
    void take(void* value, std::size_t bytes);
    void send_collected();
    void fail(const char* message, std::size_t message_bytes) const;

    struct Unit {
        int number, connection;
    };

    const XMP_Site* site_;
    Use use_;
    std::optional<Unit> unit_;
    execution::NodeSetPointer executing_;
    teams::Team& team_;
    std::vector<const execution::Array*> arrays_;
    std::vector<std::byte*> windows_;
    std::vector<Expected> expected_;
    // The item that is under way, and the position of its next piece.
    int array_ = -1;
    Section section_;
    Index position_ = 0;
    std::unique_ptr<SectionAtOneNode> transfer_;  // of the last command's section
    int transferred_array_ = -1;
    Section transferred_;
    std::unique_ptr<Command> pending_;  // the window's elements have still to go to their owners
    const int* status_;                 // of the master's statement, as it goes on
    std::vector<std::byte> collected_;  // items on their way: not sent, or not taken yet
    std::size_t taken_ = 0;
    bool stopped_ = false;  // no items come any more
    std::optional<int> ended_;
};

}  // namespace kumihimo::xmpio
