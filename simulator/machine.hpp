// A machine as a file describes it (simulator/machines/*.toml): its network, and constants, each with a unit, a kind and a
// source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kumihimo::simulator {

using Bytes = std::int64_t;
using Time = std::int64_t;  // picoseconds: the same bits on every compiler
constexpr double second = 1e12;

// What a constant measures; also decides which units it takes and whether it may be zero.
enum class Quantity { rate, time, size, count };

struct Constant {
    std::string value, unit, kind, source;
    double number = 0;  // in B/s, picoseconds, bytes, or one
};

// An axis of a torus. extent 0: as long as the job has it.
struct Axis {
    std::string name;
    int extent = 0;
    bool ring = true;
};

// What messages of one size take besides links and constants, as a record of `kumihimo bench` tells it.
struct OfSize {
    double bytes = 0;
    double send = 0, receive = 0;    // picoseconds of each side's processor
    double latency = 0;              // between both
    double rewrite = 0, fresh = 0;   // more of each side's, where the sender has just computed or received the bytes
    double copy = 0, reduction = 0;  // of so many bytes by a processor; 0 where constants say it
};

// Which of a node's network interfaces a message takes.
enum class InterfaceChoice : std::uint8_t { least_busy, first_link, channel };

struct Machine {
    std::string name, explanation;
    std::string network;     // "torus", "fat-tree", "dragonfly"
    std::vector<Axis> axes;  // of a torus
    std::string routing;     // torus: the axes in the order of routing; dragonfly: "minimal" or "valiant"
    std::string placement;   // "cycles": ranks along closed ways through the network; "order": as nodes are numbered
    bool detours = false;    // messages go round what failed
    InterfaceChoice interface_choice = InterfaceChoice::least_busy;
    bool in_turn = false;  // a rank's messages to one node leave one after the other, as on a connection
    std::map<std::string, Constant> constants;
    std::vector<OfSize> messages;  // ascending; empty where constants say all
    std::string messages_source;

    // Of one that the file leaves out: its default, which may be another constant.
    double operator[](const std::string& constant) const;
    bool gives(const std::string& constant) const { return constants.contains(constant); }
    Bytes size(const std::string& constant) const { return static_cast<Bytes>((*this)[constant]); }
    Time time(const std::string& constant) const { return static_cast<Time>((*this)[constant]); }
    int count(const std::string& constant) const { return static_cast<int>((*this)[constant]); }
    // Between two sizes in proportion, beyond the last one as between the last two.
    OfSize message(Bytes bytes) const;
    // Another value for a constant: "0.8 us". Throws base::Error.
    void set(const std::string& constant, const std::string& text);
    // So many times its value. Throws base::Error.
    void multiply(const std::string& constant, double times);
    // Those with which a run can do nothing together. Throws base::Error.
    void check() const;
};

// The machine to a call whose vector, or block, has so many bytes. Pieces of what no cache holds cost what it costs, byte for
// byte, though messages, copies and reductions of their size are faster where the same memory goes round.
Machine of_vector(Machine machine, Bytes bytes);

// The machine as its interfaces see it, while they pass on the signals of a barrier by themselves: processors only begin it and
// see its end. Precondition: it gives barrier_interface.
Machine of_interfaces(Machine machine);

// A constant that the machine's file leaves out, and what it is then, in words.
struct LeftOut {
    std::string name, otherwise;
};
std::vector<LeftOut> left_out(const Machine& machine);

// "2 GB/s" in Constant::number's units. Throws base::Error, which names `what` it is of.
double number_of(const std::string& text, Quantity quantity, const std::string& what);

// Throws base::Error: what is wrong, with line, column and a caret where TOML is.
Machine read_machine(const std::string& path);
// The same of a file's text; path: for errors.
Machine machine_of_text(const std::string& text, const std::string& path);

}  // namespace kumihimo::simulator
