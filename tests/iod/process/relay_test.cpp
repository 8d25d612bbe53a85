// A relay to a foe: whatever the other machine sends, each rank hears only answers to what it asked, once, of the kind that it
// asked for; anything else ends the connection. 100 conversations; 30,000 in the long form. KUMIHIMO_TEST_SEED repeats a run.
#include "iod/protocol/bulk.hpp"
#include "tests/iod/process/around_relay.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::iod::test {
namespace {

const std::vector<Sent>& questions() {
    static const std::vector<Sent> all = {
        {{Type::file_write, 0, 1, 0, 11, 0}, encode_layout_head({{{0, 0, {}}}})},
        {{Type::file_read, 0, 1, 0, 12, 0}, encode_layout_head({{{0, 9, {}}}})},
        {{Type::file_call, 0, 1, 0, 13, 0}, encode(FileCall{FileFunction::shared_add, 5})},
        {{Type::file_call, 0, 1, 0, 14, 0}, encode(FileCall{FileFunction::lock, 0})},
        {{Type::file_remove, 0, 0, 0, 15, 0}, encode(FileRemove{"other"})},
        {{Type::file_call, 0, 1, 0, 16, 0}, encode(FileCall{FileFunction::close, 0})},
    };
    return all;
}

// Of the relay's own numbers: 1 is its claim, 2 the opening, and then what was asked.
std::vector<Sent> honest_answers() {
    const auto to = [](Type type, std::uint64_t request) { return FrameHeader{type, flag_answer, 0, 0, request, 0}; };
    return {{to(Type::file_write, 3), encode(Status{})},     {to(Type::file_read, 4), encode_data_head({})},
            {to(Type::file_call, 5), encode(Result{{}, 3})}, {to(Type::file_call, 6), encode(Result{{}, 0})},
            {to(Type::file_remove, 7), encode(Status{})},    {to(Type::file_call, 8), encode(Result{{}, 0})}};
}

// How many answers the rank got.
std::size_t converse(std::vector<Sent> answers) {
    Around around;
    around.comes(around.other(), {{Type::file_claim, flag_answer, 0, 0, 1, 0}, encode(Status{})});
    const FileOpen open{"data", {true, true, true, false, false, 0600}, {}, true};
    around.comes(around.client, {{Type::file_open, 0, 0, 0, 10, 0}, encode(open)});
    around.comes(around.other(), {{Type::file_open, flag_answer, 0, 0, 2, 0}, encode(FileOpened{{}, 7, 99})});
    std::map<std::uint64_t, Type> asked{{1, Type::route}, {10, Type::file_open}};
    for (const Sent& question : questions()) {
        asked[question.header.request] = question.header.type;
        around.comes(around.client, question);
    }
    for (Sent& answer : answers) around.comes(around.other(), std::move(answer));
    std::size_t heard = 0;
    bool refused = false;
    for (const Sent& frame : around.client.heard()) {
        EXPECT_FALSE(refused) << "nothing comes after a refusal";
        refused = frame.header.type == Type::refuse;
        if (refused) continue;
        const auto question = asked.extract(frame.header.request);
        EXPECT_TRUE(!question.empty() && question.mapped() == frame.header.type && frame.header.answer());
        ++heard;
    }
    return heard;
}

TEST(RelaysToFoes, WhoAnswersNothingLosesTheConnection) {
    for (const Type type : {Type::file_claim, Type::file_open, Type::file_write, Type::hello})
        for (const std::uint64_t request : {0, 1, 99}) {
            Around around;
            around.comes(around.other(), {{Type::file_claim, flag_answer, 0, 0, 1, 0}, encode(Status{})});
            EXPECT_TRUE(around.other().connection->is_open());
            around.comes(around.other(), {{type, flag_answer, 0, 0, request, 0}, encode(Status{})});
            EXPECT_FALSE(around.other().connection->is_open()) << static_cast<int>(type) << ", " << request;
        }
}

TEST(Relays, EndWithWhoGoesBeforeTheOtherMachineIsReached) {
    for (const bool says_so : {true, false}) {
        Around around;
        if (says_so)
            around.comes(around.client, {{Type::leave, 0, 0, 0, 2, 0}, {}});
        else
            around.breaks(around.client);
        EXPECT_TRUE(around.relay->over());
        around.comes(around.other(), {{Type::file_claim, flag_answer, 0, 0, 1, 0}, encode(Status{})});
        around.breaks(around.other());
    }
}

std::vector<std::string> opened_paths(const Wire& wire) {
    std::vector<std::string> paths;
    for (const Sent& sent : wire.heard())
        if (sent.header.type == Type::file_open) paths.push_back(decode<FileOpen>(sent.payload).path);
    return paths;
}

// The answer to a rename was lost with the connection: whether it was done nobody knows.
TEST(Relays, LookForAFileByTheNameThatItWasToGet) {
    Around around({{"true"}, "elsewhere", 1, 0, true}, 3);
    const auto answers = [&](Type type, std::uint64_t request, const auto& message) {
        around.comes(around.other(), {{type, flag_answer, 0, 0, request, 0}, encode(message)});
    };
    answers(Type::file_claim, 1, Status{});
    const FileOpen open{"data", {true, true, true, false, false, 0600}, {}, true};
    around.comes(around.client, {{Type::file_open, 0, 0, 0, 10, 0}, encode(open)});
    answers(Type::file_open, 2, FileOpened{{}, 7, 99});
    around.breaks(around.other());
    around.comes(around.client, {{Type::file_rename, 0, 0, 0, 11, 0}, encode(FileRename{"data", "named", 99})});
    answers(Type::file_claim, 4, Status{});
    const Status missing{Code::no_such_file, "No such file or directory", "ENOENT"};
    answers(Type::file_open, 5, FileOpened{missing});
    answers(Type::file_open, 6, FileOpened{{}, 8, 99});
    answers(Type::file_rename, 3, missing);
    EXPECT_EQ(opened_paths(around.other()), (std::vector<std::string>{"data", "named"}));
    const std::vector<Sent> heard = around.client.heard();
    ASSERT_EQ(heard.back().header.type, Type::file_rename);
    EXPECT_TRUE(decode<Status>(heard.back().payload).ok()) << "it was done";
    around.breaks(around.other());
    around.comes(around.client, {{Type::file_call, 0, 1, 0, 12, 0}, encode(FileCall{FileFunction::close, 0})});
    answers(Type::file_claim, 8, Status{});
    EXPECT_EQ(opened_paths(around.other()), std::vector<std::string>{"named"});
}

TEST(RelaysToFoes, PassOnOnlyWhatWasAsked) {
    ASSERT_EQ(converse(honest_answers()), 2 + questions().size()) << "what is changed below was right";
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 30'000 : 100); ++round) {
        std::vector<Sent> answers = honest_answers();
        for (std::int64_t changes = random.between(1, 3); changes > 0; --changes) mutate(random, answers);
        EXPECT_LE(converse(std::move(answers)), 2 + questions().size());
    }
}

}  // namespace
}  // namespace kumihimo::iod::test
