// A relay between ranks and another machine that say anything, and whose connections break: a rank hears answers to what it
// asked only, each once, and nothing behind a refusal.
#include <map>

#include "iod/protocol/bulk.hpp"
#include "tests/iod/fuzz/frames.hpp"
#include "tests/iod/fuzz/target.hpp"
#include "tests/iod/process/around_relay.hpp"

namespace kumihimo::iod::test {
namespace {

// Who says a frame: the other machine on its latest connection or on the first one, or the rank; or that connection breaks.
enum By : std::uint8_t { by_other, by_first_other, by_rank, nobody, all_of_by };
enum With : std::uint8_t { with_channel = 1, with_others = 2, with_lost_way = 4 };  // of the way: the first byte
constexpr std::size_t calls = 3;

Route route_for(std::uint8_t with) {
    Route route{{"true"}, "a foe", 1, 0, (with & with_others) == 0};
    route.channel = (with & with_channel) != 0;
    if ((with & with_lost_way) != 0) route.lost.push_back(Way{std::byte{1}});
    return route;
}

void run_relay(std::span<const std::byte> input) {
    if (input.empty()) return;
    Around around(route_for(static_cast<std::uint8_t>(input[0])), calls);
    std::multimap<std::uint64_t, Type> asked{{1, Type::route}};
    each_said(input.subspan(1), [&](const FrameHeader& header, std::span<const std::byte> payload, std::uint8_t how) {
        Wire& wire = how % all_of_by == by_rank          ? around.client
                     : how % all_of_by == by_first_other ? *around.others.front()
                                                         : around.other();
        if (how % all_of_by == nobody) {
            around.breaks(wire);
        } else {
            if (&wire == &around.client) asked.emplace(header.request, header.type);
            around.comes(wire, {header, Payload(payload)});
        }
        (void)around.relay->work();
        return true;
    });
    bool refused = false;
    for (const Sent& frame : around.client.heard()) {
        EXPECT_FALSE(refused) << "nothing comes after a refusal";
        refused = frame.header.type == Type::refuse;
        if (refused) continue;
        const auto [begin, end] = asked.equal_range(frame.header.request);
        const auto question = std::find_if(begin, end, [&](const auto& one) { return one.second == frame.header.type; });
        EXPECT_TRUE(frame.header.answer() && question != end) << "an answer to nothing";
        if (question != end) asked.erase(question);
    }
}

Sent of_rank(Type type, std::uint32_t session, std::uint64_t request, Payload payload) {
    return {{type, 0, session, 0, request, 0}, std::move(payload)};
}

Sent answer_to(Type type, std::uint64_t request, Payload payload) {
    return {{type, flag_answer, 0, 0, request, 0}, std::move(payload)};
}

struct Step {
    By by;
    Sent sent;
};

Payload input_of_steps(std::uint8_t with, const std::vector<Step>& steps) {
    Payload input(1, std::byte{with});
    for (const Step& step : steps) {
        Payload one = input_of({step.sent});
        one[said_bytes - 1] = std::byte{step.by};
        input.append(one);
    }
    return input;
}

// A file is opened and written; the connection breaks, and the file is opened again on another one, before and after the
// answer.
std::vector<Payload> valid_relay() {
    const FileOpen open{"data", {true, true, true, false, false, 0600}, {}, true};
    const Step claim{by_other, answer_to(Type::file_claim, 1, encode(Status{}))};
    const std::vector<Step> opening = {claim,
                                       {by_rank, of_rank(Type::file_open, 0, 10, encode(open))},
                                       {by_other, answer_to(Type::file_open, 2, encode(FileOpened{{}, 7, 99}))}};
    const Step breaks{nobody, of_rank(Type::leave, 0, 0, {})};
    const Step write{by_rank, of_rank(Type::file_write, 1, 11, encode_layout_head({{{0, 0, {}}}}))};
    const Step add{by_rank, of_rank(Type::file_call, 1, 12, encode(FileCall{FileFunction::shared_add, 5}))};
    const Step close{by_rank, of_rank(Type::file_call, 1, 13, encode(FileCall{FileFunction::close, 0}))};
    const Step leaves{by_rank, of_rank(Type::leave, 0, 14, {})};
    const auto with = [&](std::vector<Step> steps, const std::vector<Step>& more) {
        steps.insert(steps.end(), more.begin(), more.end());
        return steps;
    };
    const auto whole = with(opening, {write,
                                      {by_other, answer_to(Type::file_write, 3, encode(Status{}))},
                                      add,
                                      {by_other, answer_to(Type::file_call, 4, encode(Result{{}, 3}))},
                                      close,
                                      {by_other, answer_to(Type::file_call, 5, encode(Result{{}, 0}))},
                                      leaves});
    const auto again = with(opening, {breaks,
                                      write,  // a request makes another connection, whose claim comes first
                                      {by_other, answer_to(Type::file_claim, 4, encode(Status{}))},
                                      {by_other, answer_to(Type::file_open, 5, encode(FileOpened{{}, 8, 99}))},
                                      {by_other, answer_to(Type::file_write, 3, encode(Status{}))},
                                      leaves});
    const std::vector<Step> channel = {claim,
                                       {by_other, answer_to(Type::file_channel, 2, encode(Channel{{}, {"10.0.0.1:1"}, {}}))},
                                       {by_rank, of_rank(Type::file_open, 0, 10, encode(open))},
                                       {by_other, answer_to(Type::file_open, 3, encode(FileOpened{{}, 7, 99}))},
                                       leaves};
    return {input_of_steps(0, whole), input_of_steps(with_others, again), input_of_steps(with_channel, channel)};
}

}  // namespace

const Target relay_target{"relay", run_relay, valid_relay};

}  // namespace kumihimo::iod::test
