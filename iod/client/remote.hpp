// A file on another machine, as the rank sees it: requests go out one after another without waiting, and their answers are
// taken later. Of what is under way there is never more than a window.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "iod/client/link.hpp"
#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod {

class Remote {
public:
    Remote(Link link, std::size_t window) : link_(std::move(link)), window_(window) {}

    Status open(const FileOpen& open);
    Status remove(const FileRemove& remove);
    Status rename(const FileRename& rename);
    About about();
    Looked look(const FileLook& look);
    Listed list(const FileList& list);
    Status call(FileFunction function, std::int64_t value, std::int64_t& result);  // what was written before comes first
    void leave();  // last of all: this rank needs the way no more

    // Takes the bytes; whether they arrived is told by finish(), or earlier by another write.
    Status write(const Layout& layout, std::span<const std::byte> bytes);
    Status finish();  // all writes are answered: the first failure since the last finish()

    struct Reading {
        std::uint64_t request = 0;
        std::size_t bytes = 0;
    };
    Status begin_read(const Layout& layout, Reading& reading);
    Status end_read(const Reading& reading, Payload& holder, std::span<const std::byte>& bytes);  // bytes: in the holder

    std::uint64_t requests() const { return requests_; }

private:
    template <typename Do>
    Status guarded(Do&& ask);
    template <typename Answer, typename Question>
    Answer ask(Type type, const Question& question);
    void take_oldest();

    struct Written {
        std::uint64_t request;
        std::size_t bytes;
    };
    Link link_;
    std::size_t window_, under_way_ = 0;
    std::uint32_t session_ = 0;
    std::deque<Written> written_;
    Status failed_;
    std::uint64_t requests_ = 0;
};

}  // namespace kumihimo::iod
