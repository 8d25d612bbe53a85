#include "iod/client/remote.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {

Remote::Remote(Link link, std::size_t window, std::size_t sharers, WayThere way) : flow_(window, sharers) {
    streams_.push_back(std::make_unique<Stream>(Stream{std::move(link), 0, 0, std::move(way)}));
}

template <typename Do>
Status Remote::guarded(Do&& ask) {
    try {
        ++requests_;
        return ask();
    } catch (const ConnectionLost& lost) {
        return lost.status();
    } catch (const std::exception& error) {
        return Status::of_exception(error, "what the other machine was asked");
    }
}

Status Remote::open(const FileOpen& open) {
    return guarded([&] {
        const double start = base::seconds_now();
        const auto opened = first().link.connection.ask<FileOpened>(Type::file_open, 0, open);
        flow_.round_trip(base::seconds_now() - start);
        first().session = opened.session;
        file_ = opened.file;
        return opened.status;
    });
}

Status Remote::remove(const FileRemove& remove) {
    return guarded([&] { return first().link.connection.ask<Status>(Type::file_remove, 0, remove); });
}

Status Remote::rename(const FileRename& rename) {
    return guarded([&] { return first().link.connection.ask<Status>(Type::file_rename, 0, rename); });
}

template <typename Answer, typename Question>
Answer Remote::ask(Type type, const Question& question) {
    Answer answer;
    const Status asked = guarded([&] {
        answer = first().link.connection.ask<Answer>(type, 0, question);
        return answer.status;
    });
    answer.status = asked;
    return answer;
}

About Remote::about() {
    return ask<About>(Type::file_about, FileAbout{});
}

std::vector<Looked> Remote::look(std::span<const FileLook> looks) {
    std::vector<Looked> looked(looks.size());
    const Status asked = guarded([&] {
        const auto requests = request_all(Type::file_look, 0, looks);
        for (std::size_t i = 0; i < looks.size(); ++i) looked[i] = decode<Looked>(first().link.connection.answer(requests[i]));
        return Status{};
    });
    if (!asked.ok())
        for (Looked& one : looked) one.status = asked;
    return looked;
}

Listed Remote::list(const FileList& list) {
    return ask<Listed>(Type::file_list, list);
}

template <typename Question>
std::vector<std::uint64_t> Remote::request_all(Type type, std::uint32_t session, std::span<const Question> questions) {
    std::vector<std::uint64_t> requests;
    for (const Question& question : questions)
        requests.push_back(first().link.connection.request(type, session, encode(question)));
    return requests;
}

Status Remote::call(FileFunction function, std::int64_t value, std::int64_t& result) {
    const double start = base::seconds_now();
    const bool alone = flow_.under_way() == 0;
    const FileCall asked{function, value};
    const Status status = calls(std::span(&asked, 1), std::span(&result, 1));
    if (alone && status.ok()) flow_.round_trip(base::seconds_now() - start);
    return status;
}

// One connection keeps the order; of several, those others are waited for.
Status Remote::calls(std::span<const FileCall> asked, std::span<std::int64_t> results) {
    return guarded([&] {
        while (streams_.size() > 1 && !written_.empty()) take_oldest();
        const auto requests = request_all(Type::file_call, first().session, asked);
        Status first_failure;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto answer = decode<Result>(first().link.connection.answer(requests[i]));
            first_failure.keep_first(answer.status);
            const bool place = asked[i].function == FileFunction::size || asked[i].function == FileFunction::shared_add;
            if (place && answer.status.ok() && !possible(answer.value, static_cast<std::uint64_t>(asked[i].value)))
                first_failure.keep_first(
                    {Code::bad_request, "the other machine tells a size or position that no file can have", {}});
            else
                results[i] = answer.value;
        }
        return first_failure;
    });
}

Status Remote::close() {
    Status status = guarded([&] {
        Status first_failure;
        const Payload question = encode(FileCall{FileFunction::close, 0});
        std::vector<std::uint64_t> asked;
        for (const auto& stream : streams_)
            asked.push_back(stream->link.connection.request(Type::file_call, stream->session, question));
        for (std::size_t i = 0; i < asked.size(); ++i)
            first_failure.keep_first(decode<Result>(streams_[i]->link.connection.answer(asked[i])).status);
        return first_failure;
    });
    return status;
}

void Remote::leave() {
    for (const auto& stream : streams_) {
        const Status left = guarded([&] {
            stream->link.connection.tell(Type::leave, 0, {});
            return Status{};
        });
        if (!left.ok()) LostWays::of_process().add(stream->way);
    }
}

// ---- which way ----

Stream& Remote::least_busy() {
    return **std::ranges::min_element(streams_, {}, [](const auto& stream) { return stream->under_way; });
}

// What travels on another way might overtake.
bool Remote::in_the_way(const Stream& stream, const Extent& extent) const {
    return std::ranges::any_of(written_,
                               [&](const Written& other) { return other.stream != &stream && other.extent.meets(extent); });
}

void Remote::widen_if_it_helps() {
    if (!widening_.under_way()) widening_.begin(flow_.more_streams(streams_.size(), widening_.most(), widening_.different()));
    if (!widening_.under_way()) return;
    while (auto stream = widening_.ready()) {
        streams_.push_back(std::make_unique<Stream>(std::move(*stream)));
        flow_.widened();
    }
}

Remote::Extent Remote::extent_of(const Layout& layout) {
    if (layout.nests.empty()) return {};
    const LayoutNest& last = layout.nests.back();
    Offset end = last.offset + last.length;
    for (const LayoutLevel& level : last.levels) end += (level.count - 1) * level.stride;
    return {layout.nests.front().offset, end};
}

void Remote::sent(Stream& stream, std::size_t bytes) {
    stream.under_way += bytes;
    flow_.sent(bytes, base::seconds_now());
}

void Remote::answered(Stream& stream, std::size_t bytes) {
    stream.under_way -= bytes;
    flow_.answered(bytes, base::seconds_now());
}

// ---- writes ----

void Remote::take_oldest() {
    const Written oldest = written_.front();
    written_.pop_front();
    const Payload answer = oldest.stream->link.connection.answer(oldest.request);
    failed_.keep_first(oldest.is_call ? decode<Result>(answer).status : decode<Status>(answer));
    answered(*oldest.stream, oldest.bytes);
}

Status Remote::write(const Layout& layout, std::span<const std::byte> bytes) {
    const Status asked = guarded([&] {
        check(layout);
        widen_if_it_helps();
        while (!written_.empty() && flow_.under_way() + bytes.size() > window()) take_oldest();
        Stream& stream = least_busy();
        const Extent extent = extent_of(layout);
        while (streams_.size() > 1 && in_the_way(stream, extent)) take_oldest();
        const std::uint64_t request =
            stream.link.connection.request_with(Type::file_write, stream.session, encode_layout_head(layout), bytes);
        written_.push_back({&stream, request, bytes.size(), extent});
        sent(stream, bytes.size());
        return Status{};
    });
    failed_.keep_first(asked);
    return failed_;
}

Status Remote::call_later(const FileCall& asked) {
    failed_.keep_first(guarded([&] {
        const std::uint64_t request = first().link.connection.request(Type::file_call, first().session, encode(asked));
        written_.push_back({&first(), request, 0, {}, true});
        return Status{};
    }));
    return failed_;
}

Status Remote::finish() {
    failed_.keep_first(guarded([&] {
        while (!written_.empty()) take_oldest();
        return Status{};
    }));
    for (const Written& lost : written_) answered(*lost.stream, lost.bytes);  // without a connection nobody answers any more
    written_.clear();
    return std::exchange(failed_, {});
}

// ---- reads ----

Status Remote::begin_read(const Layout& layout, Reading& reading) {
    return guarded([&] {
        check(layout);
        widen_if_it_helps();
        Stream& stream = least_busy();
        const Extent extent = extent_of(layout);
        while (streams_.size() > 1 && in_the_way(stream, extent)) take_oldest();
        const auto bytes = static_cast<std::size_t>(bytes_of(layout));
        const std::uint64_t request =
            stream.link.connection.request(Type::file_read, stream.session, encode_layout_head(layout));
        reading = {&stream, request, bytes};
        sent(stream, bytes);
        return Status{};
    });
}

Status Remote::end_read(const Reading& reading, Payload& holder, std::span<const std::byte>& bytes) {
    bytes = {};
    const Status status = guarded([&] {
        holder = reading.stream->link.connection.answer(reading.request);
        const DataView data = decode_data(holder);
        if (data.bytes.size() > reading.bytes) return Status{Code::bad_request, "more bytes than were asked for", {}};
        bytes = data.bytes;
        return data.status;
    });
    answered(*reading.stream, reading.bytes);
    return status;
}

}  // namespace kumihimo::iod
