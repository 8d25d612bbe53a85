#include "runtime/transport/messages/mail.hpp"

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
    MPI_Request request = send_bytes(rank, request_tag, batch.data(), batch.size());
    keep(request, std::move(batch));
    batch.clear();
    if (!spare_.empty()) {
        batch = std::move(spare_.back());
        spare_.pop_back();
    }
}

void Mail::send_row(int rank, int tag, std::vector<std::byte> row) {
    MPI_Request request = send_bytes(rank, tag, row.data(), row.size());
    keep(request, std::move(row));
}

MPI_Request Mail::send_bytes(int rank, int tag, const std::byte* from, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, rank, tag, communicator_, &request), "sending to an image");
    return request;
}

MPI_Request Mail::receive_bytes(int rank, int tag, std::byte* to, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, rank, tag, communicator_, &request), "receiving from an image");
    return request;
}

void Mail::keep(MPI_Request request, std::vector<std::byte> bytes) {
    sent_.push_back({request, std::move(bytes)});
    forget_sent();
}

void Mail::forget_sent() {
    constexpr std::size_t most_spare = 8;
    while (!sent_.empty()) {
        int done = 0;
        check(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "sending to an image");
        if (!done) return;
        std::vector<std::byte>& bytes = sent_.front().bytes;
        if (spare_.size() < most_spare && bytes.capacity() <= 4 * batch_bytes) {
            bytes.clear();
            spare_.push_back(std::move(bytes));
        }
        sent_.pop_front();
    }
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
