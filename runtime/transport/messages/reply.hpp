// What an image waits for. A record names it by a number: where nobody waits any more, a late answer finds nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>

namespace kumihimo::transport::messages {

class Reply;

// Those of one image.
class Replies {
public:
    void arrive(std::uint64_t number, std::span<const std::byte> answer);

private:
    friend class Reply;
    std::unordered_map<std::uint64_t, Reply*> awaited_;
    std::uint64_t last_ = 0;
};

// As long as it lives an answer goes there.
class Reply {
public:
    explicit Reply(Replies& replies, std::byte* to = nullptr) : to(to), number(++replies.last_), replies_(replies) {
        replies_.awaited_[number] = this;
    }
    ~Reply() { replies_.awaited_.erase(number); }
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;

    std::byte* const to;
    const std::uint64_t number;
    bool here = false;

private:
    Replies& replies_;
};

inline void Replies::arrive(std::uint64_t number, std::span<const std::byte> answer) {
    const auto found = awaited_.find(number);
    if (found == awaited_.end()) return;
    Reply& reply = *found->second;
    if (!answer.empty()) std::memcpy(reply.to, answer.data(), answer.size());
    reply.here = true;
}

}  // namespace kumihimo::transport::messages
