// A file on another machine, as the rank sees it: requests go out one after another without waiting, and their answers are
// taken later. Of what is under way there is never more than a window, which follows the way's rate and length. Where one
// connection cannot fill the way there are several, over which the parts of transfers are spread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "iod/client/flow.hpp"
#include "iod/client/widening.hpp"
#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod {

class Remote {
public:
    // `window`: at most so many bytes under way. `sharers`: ranks on the connection. `way`: of whoever began it.
    Remote(Link link, std::size_t window, std::size_t sharers = 1, WayThere way = {});

    Status open(const FileOpen& open);
    std::uint64_t file() const { return file_; }                        // which one is open, for rename()
    void widen(Widening widening) { widening_ = std::move(widening); }  // from now on further ways are begun where they help
    Status remove(const FileRemove& remove);
    Status rename(const FileRename& rename);
    About about();
    Looked look(const FileLook& one) { return look(std::span(&one, 1)).front(); }
    Listed list(const FileList& list);
    Status call(FileFunction function, std::int64_t value, std::int64_t& result);  // what was written before comes first
    // The same for several in their order, all asked at once: one round trip. A result for each; the first failure.
    Status calls(std::span<const FileCall> asked, std::span<std::int64_t> results);
    // Asked behind the writes; whether it was done is told with them.
    Status call_later(const FileCall& asked);
    std::vector<Looked> look(std::span<const FileLook> looks);  // at once, too
    Status close();
    void leave();  // last of all: this rank needs the way no more

    // Takes the bytes; whether they arrived is told by finish(), or earlier by another write.
    Status write(const Layout& layout, std::span<const std::byte> bytes);
    Status finish();  // all writes are answered: the first failure since the last finish()

    struct Reading {
        Stream* stream = nullptr;
        std::uint64_t request = 0;
        std::size_t bytes = 0;
    };
    Status begin_read(const Layout& layout, Reading& reading);
    Status end_read(const Reading& reading, Payload& holder, std::span<const std::byte>& bytes);  // bytes: in the holder
    std::size_t window() const { return flow_.window(widening_.different()); }
    std::size_t under_way() const { return flow_.under_way(); }
    std::size_t ahead() const { return flow_.held(); }   // what may be asked for before it is wanted, and
    std::size_t piece() const { return flow_.piece(); }  // how much of it at once

    std::uint64_t requests() const { return requests_; }
    std::size_t streams() const { return streams_.size(); }

private:
    struct Extent {
        Offset begin = 0, end = 0;
        bool meets(const Extent& other) const { return begin < other.end && other.begin < end; }
    };
    struct Written {
        Stream* stream;
        std::uint64_t request;
        std::size_t bytes;
        Extent extent;
        bool is_call = false;
    };
    template <typename Do>
    Status guarded(Do&& ask);
    template <typename Answer, typename Question>
    Answer ask(Type type, const Question& question);
    template <typename Question>
    std::vector<std::uint64_t> request_all(Type type, std::uint32_t session, std::span<const Question> questions);
    Stream& first() { return *streams_.front(); }
    Stream& least_busy();
    bool in_the_way(const Stream& stream, const Extent& extent) const;
    void take_oldest();
    void widen_if_it_helps();
    static Extent extent_of(const Layout& layout);
    void sent(Stream& stream, std::size_t bytes);
    void answered(Stream& stream, std::size_t bytes);

    std::vector<std::unique_ptr<Stream>> streams_;  // the first is the group's, the others are this rank's own
    Widening widening_;
    Flow flow_;
    std::deque<Written> written_;
    Status failed_;
    std::uint64_t requests_ = 0, file_ = 0;
};

}  // namespace kumihimo::iod
