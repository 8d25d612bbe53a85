// Memory for messages, which is used again.
#pragma once

#include <utility>
#include <vector>

#include "runtime/transport/messages/record.hpp"

namespace kumihimo::transport::messages {

class Buffers {
public:
    Bytes take() {
        if (spare_.empty()) return std::make_unique_for_overwrite<std::byte[]>(longest_message());
        Bytes bytes = std::move(spare_.back());
        spare_.pop_back();
        return bytes;
    }
    void give_back(Bytes bytes) {
        if (bytes && spare_.size() < most_spare) spare_.push_back(std::move(bytes));
    }

private:
    static constexpr std::size_t most_spare = 16;
    std::vector<Bytes> spare_;
};

}  // namespace kumihimo::transport::messages
