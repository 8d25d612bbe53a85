#include "iod/files/session.hpp"

#include <asio/post.hpp>

#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod::process {

namespace {

// A request's part of what waits, as long as it does.
class Held {
public:
    Held(std::shared_ptr<Waiting> all, std::size_t bytes) : all_(std::move(all)), bytes_(bytes) { *all_ += bytes_; }
    Held(const Held&) = delete;
    ~Held() { *all_ -= bytes_; }

private:
    std::shared_ptr<Waiting> all_;
    std::size_t bytes_;
};

}  // namespace

FileSession::FileSession(Host& host, std::uint32_t number, Stored file, FileOpen open, std::shared_ptr<Connection> opener,
                         std::shared_ptr<Waiting> waiting)
    : host_(host),
      number_(number),
      open_(std::move(open)),
      connection_(std::move(opener)),
      waiting_(std::move(waiting)),
      lock_(host.loop()),
      file_(std::move(file)) {}

// Where the thread is others', too, the file is closed by it.
FileSession::~FileSession() {
    file_.storage->hurry();
    try {
        file_.worker->add([closed = std::move(file_.storage)] {});
    } catch (const std::exception&) {  // no memory: it is closed here
    }
}

// ---- jobs ----

// What a job throws, as a rule for want of memory, ends the connection: nobody would know what became of the request.
void FileSession::later(const FrameHeader& request, std::size_t bytes, Job job, std::function<void(const Status&)> done) {
    // The thread must not be the last that holds the session, which waits for it.
    const auto tell = [weak = weak_from_this(), request, done = std::move(done)](Answer&& answer, const Status& failed) {
        const auto self = weak.lock();
        if (!self) return;
        if (failed.ok() && self->connection_->is_open())
            self->connection_->answer(request, std::move(answer.head), std::move(answer.body));
        if (!failed.ok() && self->connection_->is_open()) self->connection_->refuse(failed);
        if (done) done(failed);
    };
    const std::size_t held_bytes = request_bytes + bytes;
    file_.worker->add(
        [&loop = host_.loop(), tell, job = std::move(job), storage = file_.storage,
         held = std::make_shared<Held>(waiting_, held_bytes)] {
            auto answer = std::make_shared<Answer>();
            Status failed;
            try {
                *answer = job(*storage);
            } catch (const std::exception& error) {
                failed = Status::of_exception(error, "what was asked");
            }
            asio::post(loop, [tell, answer, failed] { tell(std::move(*answer), failed); });
        },
        held_bytes);
    if (crowded()) connection_->pause();
}

bool FileSession::work() {
    if (!crowded()) connection_->resume();
    return false;
}

// ---- opening ----

void FileSession::begin(const FrameHeader& request) {
    shared_ = std::make_unique<SharedWord>(open_.opening, open_.first);
    const auto opened = std::make_shared<bool>(false);
    later(
        request, 0,
        [opened, mode = open_.mode, number = number_](Storage& storage) {
            FileOpened answer{storage.open(mode), number};
            if (answer.status.ok()) answer.file = storage.identity();
            *opened = answer.status.ok();
            return Answer{encode(answer), {}};
        },
        [this, opened](const Status&) { over_ = over_ || !*opened; });
}

// ---- requests ----

void FileSession::arrived(Connection& connection, Arrival&& arrival) {
    if (&connection != connection_.get()) throw ProtocolError("a request of who did not open the file");
    if (arrival.header.request == 0 || arrival.header.answer()) throw ProtocolError("a frame that asks for nothing");
    shared_->drop_name();  // whoever asks knows that all have opened the file
    switch (arrival.header.type) {
        case Type::file_write:
            return write(std::move(arrival));
        case Type::file_read:
            return read(arrival);
        case Type::file_call:
            return call(arrival.header, decode<FileCall>(arrival.payload));
        default:
            throw ProtocolError("a message that nobody sends about a file");
    }
}

void FileSession::write(Arrival&& arrival) {
    auto payload = std::make_shared<Payload>(std::move(arrival.payload));
    const LayoutView view = decode_layout(*payload);
    if (static_cast<std::size_t>(bytes_of(view.layout)) != view.bytes.size())
        throw ProtocolError("a layout whose bytes are not there");
    later(arrival.header, payload->size(), [payload, layout = view.layout, bytes = view.bytes](Storage& storage) {
        return Answer{encode(storage.write(layout, bytes)), {}};
    });
}

void FileSession::read(const Arrival& arrival) {
    const LayoutView view = decode_layout(arrival.payload);
    if (!view.bytes.empty()) throw ProtocolError("a read that brings bytes");
    const auto bytes = static_cast<std::size_t>(bytes_of(view.layout));
    later(arrival.header, bytes + arrival.payload.size(), [layout = view.layout, bytes](Storage& storage) {
        Answer answer;
        answer.body.resize(bytes);
        std::size_t got = 0;
        answer.head = encode_data_head(storage.read(layout, answer.body, got));
        answer.body.resize(got);
        return answer;
    });
}

void FileSession::answer_result(const FrameHeader& request, const Status& status, std::int64_t value) {
    connection_->answer(request, encode(Result{status, value}));
}

void FileSession::call(const FrameHeader& request, const FileCall& call) {
    std::int64_t value = 0;
    switch (call.function) {
        case FileFunction::lock:
            return lock(request);
        case FileFunction::unlock:
            return answer_result(request, file_.storage->unlock());
        case FileFunction::shared_add: {
            const Status status = shared_->add(call.value, value);
            return answer_result(request, status, value);
        }
        case FileFunction::shared_set:
            return answer_result(request, shared_->set(call.value));
        default:
            break;
    }
    const bool closes = call.function == FileFunction::close;
    later(
        request, 0,
        [call](Storage& storage) {
            Result result;
            result.status = storage.call(call, result.value);
            return Answer{encode(result), {}};
        },
        closes ? [this](const Status&) { over_ = true; } : std::function<void(const Status&)>());
}

// Others may be of another process, which tells nobody when it lets go: so this one looks again.
void FileSession::lock(const FrameHeader& request) {
    lock_.look([weak = weak_from_this(), request] {
        const auto self = weak.lock();
        if (!self || !self->connection_->is_open()) return true;
        bool held = false;
        const Status status = self->file_.storage->try_lock(held);
        const bool settled = held || !status.ok();
        if (settled) self->answer_result(request, status);
        return settled;
    });
}

void FileSession::ended(Connection& connection, const Status&) {
    if (&connection == connection_.get()) over_ = true;
}

}  // namespace kumihimo::iod::process
