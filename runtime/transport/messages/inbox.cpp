#include "runtime/transport/messages/inbox.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/transport/check.hpp"

namespace kumihimo::transport::messages {

namespace {

constexpr std::size_t receives = 8;   // messages that several images may be sending at once
constexpr unsigned looks_at_all = 8;  // of so many looks one is at all of them: only a long message lets others overtake it

}  // namespace

Inbox::Inbox(MPI_Comm communicator, int tag, Buffers& buffers) : communicator_(communicator), tag_(tag), buffers_(buffers) {
    int size = 0;
    MPI_Comm_size(communicator, &size);
    taken_.resize(static_cast<std::size_t>(size));
    replace_receives();
}

Inbox::~Inbox() {
    for (MPI_Request& request : requests_) settle(request);
    for (std::size_t i = 0; i < requests_.size(); ++i)
        if (requests_[i] != MPI_REQUEST_NULL) (void)places_[i].release();  // MPI may still write there
}

void Inbox::replace_receives() {
    wanted_ += receives;
    expect();
}

void Inbox::expect() {
    while (requests_.size() < wanted_) expect_one();
}

void Inbox::expect_one() {
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes place = buffers_.take();
    check(MPI_Irecv(place.get(), static_cast<int>(longest_message()), MPI_BYTE, MPI_ANY_SOURCE, tag_, communicator_, &request),
          "expecting messages");
    requests_.push_back(request);
    places_.push_back(std::move(place));
}

std::optional<int> Inbox::receive(Message& message) {
    const auto is_next = [&](const Came& came) { return came.message.number() == taken_[static_cast<std::size_t>(came.rank)]; };
    std::optional<Came> found;
    if (const auto early = std::find_if(early_.begin(), early_.end(), is_next); early != early_.end()) {
        found = std::move(*early);
        early_.erase(early);
    }
    while (!found) {
        found = look();
        if (!found) return std::nullopt;
        if (is_next(*found)) break;
        early_.push_back(std::move(*found));
        found.reset();
    }
    ++taken_[static_cast<std::size_t>(found->rank)];
    message = std::move(found->message);
    return found->rank;
}

// Mostly the oldest receive alone: MPI_Test looks again after it has taken in what came, MPI_Testany does not (Open MPI 4.1).
// A receive that has found its message is replaced at the next look: whoever sent it waits for the answer first.
std::optional<Inbox::Came> Inbox::look() {
    expect();
    int index = 0, done = 0, bytes = 0;
    MPI_Status status;
    int code = MPI_Test(requests_.data(), &done, &status);
    if (code == MPI_SUCCESS && done == 0 && ++looks_ % looks_at_all == 0)
        code = MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &done, &status);
    if (code == MPI_SUCCESS && done == 0) return std::nullopt;
    Bytes place = take(static_cast<std::size_t>(index));
    if (code != MPI_SUCCESS) return std::nullopt;  // its image died in the middle of the message, as others will tell
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return Came{status.MPI_SOURCE, {std::move(place), static_cast<std::size_t>(bytes)}};
}

Bytes Inbox::take(std::size_t index) {
    const auto at = static_cast<std::ptrdiff_t>(index);
    Bytes place = std::move(places_[index]);
    requests_.erase(requests_.begin() + at);
    places_.erase(places_.begin() + at);
    return place;
}

// A message of which some has arrived cannot be cancelled, but what the network still holds of it comes within milliseconds.
void settle(MPI_Request& request) {
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

}  // namespace kumihimo::transport::messages
