#include "runtime/transport/messages/mail.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/communicator.hpp"
#include "runtime/transport/check.hpp"

namespace kumihimo::transport::messages {

Mail::Mail(MPI_Comm parent) {
    communicator_ = base::copy_of(parent);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    int size = 0;
    MPI_Comm_size(communicator_, &size);
    messages_.resize(static_cast<std::size_t>(size));
    number_.resize(static_cast<std::size_t>(size));
    gone_.resize(static_cast<std::size_t>(size));
    inbox_.emplace(communicator_, request_tag, buffers_);
}

Mail::~Mail() {
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    inbox_.reset();
    MPI_Comm_free(&communicator_);
}

std::byte* Mail::add(int rank, const Record& record, std::span<const std::byte> levels) {
    Message& message = messages_[static_cast<std::size_t>(rank)];
    if (message.size + length_of(record) > longest_message()) send(rank);
    if (!message.bytes) message.bytes = buffers_.take();
    return append(message, record, levels);
}

void Mail::add(int rank, const Record& record, std::span<const std::byte> levels, std::span<const std::byte> payload) {
    std::byte* const at = add(rank, record, levels);
    if (!payload.empty()) std::memcpy(at, payload.data(), payload.size());
}

void Mail::send(int rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (!messages_[at].bytes) return;
    Message message = std::exchange(messages_[at], {});
    if (gone(rank)) return forget(message);
    message.set_number(number_[at]++);
    const MPI_Request request = send_bytes(rank, request_tag, message.bytes.get(), message.size);
    keep({rank, request, std::move(message.bytes)});
}

void Mail::send_in_place(int rank, int tag, const std::byte* from, std::size_t bytes) {
    keep({rank, send_bytes(rank, tag, from, bytes), nullptr});
}

MPI_Request Mail::send_bytes(int rank, int tag, const std::byte* from, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (gone(rank)) return request;
    if (MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, rank, tag, communicator_, &request) == MPI_SUCCESS) return request;
    give_up(rank);
    return MPI_REQUEST_NULL;
}

MPI_Request Mail::receive_bytes(int rank, int tag, std::byte* to, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, rank, tag, communicator_, &request), "receiving from an image");
    return request;
}

void Mail::keep(Sent sent) {
    if (gone(sent.rank)) return;
    sent_.push_back(std::move(sent));
    forget_sent();
}

void Mail::forget_sent() {
    while (!sent_.empty()) {
        Sent& oldest = sent_.front();
        const int rank = oldest.rank;
        if (!complete(rank, oldest.request)) {
            if (gone(rank)) continue;  // it is among the lost ones now
            return;
        }
        buffers_.give_back(std::move(oldest.bytes));
        sent_.pop_front();
    }
}

bool Mail::complete(int rank, MPI_Request& request) {
    if (gone(rank)) return false;
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) return done != 0;
    give_up(rank);
    return false;
}

void Mail::give_up(int rank) {
    if (gone(rank)) return;
    gone_[static_cast<std::size_t>(rank)] = true;
    messages_[static_cast<std::size_t>(rank)] = {};
    inbox_->replace_receives();
    const auto first = std::stable_partition(sent_.begin(), sent_.end(), [&](const Sent& sent) { return sent.rank != rank; });
    std::move(first, sent_.end(), std::back_inserter(lost_));
    sent_.erase(first, sent_.end());
}

bool Mail::all_here(MPI_Comm members) const {
    if (std::find(gone_.begin(), gone_.end(), true) == gone_.end()) return true;
    int count = 0;
    MPI_Group theirs = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    MPI_Comm_group(members, &theirs);
    MPI_Comm_group(communicator_, &all);
    MPI_Group_size(theirs, &count);
    std::vector<int> numbers(static_cast<std::size_t>(count)), ranks(numbers.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    MPI_Group_translate_ranks(theirs, count, numbers.data(), all, ranks.data());
    MPI_Group_free(&theirs);
    MPI_Group_free(&all);
    return std::none_of(ranks.begin(), ranks.end(), [&](int rank) { return gone(rank); });
}

}  // namespace kumihimo::transport::messages
