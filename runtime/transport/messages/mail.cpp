#include "runtime/transport/messages/mail.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <thread>
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
    batches_.resize(static_cast<std::size_t>(size));
    gone_.resize(static_cast<std::size_t>(size));
}

Mail::~Mail() {
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&communicator_);
}

std::byte* Mail::add(int rank, const Record& record, std::span<const std::byte> levels) {
    return append(batches_[static_cast<std::size_t>(rank)], record, levels);
}

void Mail::add(int rank, const Record& record, std::span<const std::byte> levels, std::span<const std::byte> payload) {
    append(batches_[static_cast<std::size_t>(rank)], record, levels, payload);
    leave_if_long(rank);
}

void Mail::leave_if_long(int rank) {
    if (batches_[static_cast<std::size_t>(rank)].size() >= batch_bytes) send(rank);
}

void Mail::send(int rank) {
    std::vector<std::byte>& batch = batches_[static_cast<std::size_t>(rank)];
    if (batch.empty()) return;
    if (gone(rank)) return batch.clear();
    MPI_Request request = send_bytes(rank, request_tag, batch.data(), batch.size());
    keep(rank, request, std::move(batch));
    batch.clear();
    if (!spare_.empty()) {
        batch = std::move(spare_.back());
        spare_.pop_back();
    }
}

void Mail::send_row(int rank, int tag, std::vector<std::byte> row) {
    MPI_Request request = send_bytes(rank, tag, row.data(), row.size());
    keep(rank, request, std::move(row));
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

void Mail::keep(int rank, MPI_Request request, std::vector<std::byte> bytes) {
    if (gone(rank)) return;
    sent_.push_back({rank, request, std::move(bytes)});
    forget_sent();
}

void Mail::forget_sent() {
    constexpr std::size_t most_spare = 8;
    while (!sent_.empty()) {
        const int rank = sent_.front().rank;
        if (!complete(rank, sent_.front().request)) {
            if (gone(rank)) continue;  // it is among the lost ones now
            return;
        }
        std::vector<std::byte>& bytes = sent_.front().bytes;
        if (spare_.size() < most_spare && bytes.capacity() <= 4 * batch_bytes) {
            bytes.clear();
            spare_.push_back(std::move(bytes));
        }
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

// MPI may be in the middle of writing to the caller's memory: a message of which some has arrived cannot be cancelled, but what
// the network still holds of it comes within milliseconds.
void Mail::settle(MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    constexpr std::chrono::milliseconds longest{200};
    const auto begin = std::chrono::steady_clock::now();
    int done = 0;
    MPI_Cancel(&request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
        if (std::chrono::steady_clock::now() - begin > longest) return;
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // this may be inside of any wait: nothing else is polled
    }
}

void Mail::give_up(int rank) {
    if (gone(rank)) return;
    gone_[static_cast<std::size_t>(rank)] = true;
    batches_[static_cast<std::size_t>(rank)].clear();
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

std::optional<int> Mail::receive(Message& message) {
    int arrived = 0, bytes = 0;
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, request_tag, communicator_, &arrived, &found, &status), "looking for messages");
    if (!arrived) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.bytes.resize(static_cast<std::size_t>(bytes));
    message.next = 0;
    check(MPI_Mrecv(message.bytes.data(), bytes, MPI_BYTE, &found, MPI_STATUS_IGNORE), "receiving a message");
    return status.MPI_SOURCE;
}

}  // namespace kumihimo::transport::messages
