#include "iod/client/remote.hpp"

#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {

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
        const auto opened = link_.connection.ask<FileOpened>(Type::file_open, 0, open);
        session_ = opened.session;
        return opened.status;
    });
}

Status Remote::remove(const FileRemove& remove) {
    return guarded([&] { return link_.connection.ask<Status>(Type::file_remove, 0, remove); });
}

Status Remote::rename(const FileRename& rename) {
    return guarded([&] { return link_.connection.ask<Status>(Type::file_rename, 0, rename); });
}

template <typename Answer, typename Question>
Answer Remote::ask(Type type, const Question& question) {
    Answer answer;
    const Status asked = guarded([&] {
        answer = link_.connection.ask<Answer>(type, 0, question);
        return answer.status;
    });
    answer.status = asked;
    return answer;
}

About Remote::about() {
    return ask<About>(Type::file_about, FileAbout{});
}

Looked Remote::look(const FileLook& look) {
    return ask<Looked>(Type::file_look, look);
}

Listed Remote::list(const FileList& list) {
    return ask<Listed>(Type::file_list, list);
}

Status Remote::call(FileFunction function, std::int64_t value, std::int64_t& result) {
    return guarded([&] {
        const auto answer = link_.connection.ask<Result>(Type::file_call, session_, FileCall{function, value});
        result = answer.value;
        return answer.status;
    });
}

void Remote::leave() {
    (void)guarded([&] {
        link_.connection.tell(Type::leave, 0, {});
        return Status{};
    });
}

// ---- writes ----

void Remote::take_oldest() {
    const Written oldest = written_.front();
    written_.pop_front();
    under_way_ -= oldest.bytes;
    failed_.keep_first(decode<Status>(link_.connection.answer(oldest.request)));
}

Status Remote::write(const Layout& layout, std::span<const std::byte> bytes) {
    const Status asked = guarded([&] {
        check(layout);
        while (!written_.empty() && under_way_ + bytes.size() > window_) take_oldest();
        const Payload head = encode_layout_head(layout);
        written_.push_back({link_.connection.request_with(Type::file_write, session_, head, bytes), bytes.size()});
        under_way_ += bytes.size();
        return Status{};
    });
    failed_.keep_first(asked);
    return failed_;
}

Status Remote::finish() {
    failed_.keep_first(guarded([&] {
        while (!written_.empty()) take_oldest();
        return Status{};
    }));
    written_.clear();  // without a connection nobody answers any more
    under_way_ = 0;
    return std::exchange(failed_, {});
}

// ---- reads ----

Status Remote::begin_read(const Layout& layout, Reading& reading) {
    return guarded([&] {
        check(layout);
        reading.bytes = static_cast<std::size_t>(bytes_of(layout));
        reading.request = link_.connection.request(Type::file_read, session_, encode_layout_head(layout));
        return Status{};
    });
}

Status Remote::end_read(const Reading& reading, Payload& holder, std::span<const std::byte>& bytes) {
    bytes = {};
    return guarded([&] {
        holder = link_.connection.answer(reading.request);
        const DataView data = decode_data(holder);
        if (data.bytes.size() > reading.bytes) return Status{Code::bad_request, "more bytes than were asked for", {}};
        bytes = data.bytes;
        return data.status;
    });
}

}  // namespace kumihimo::iod
