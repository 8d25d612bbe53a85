// Memory that several processes of one machine map: one of them creates it, the others attach to it by its Ticket.
#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.hpp"

namespace kumihimo::base {

enum class SharingMethod : int { none = 0, memfd = 1, posix = 2 };

// What a process must know to attach. Plain data: it travels through MPI as bytes.
struct Ticket {
    SharingMethod method = SharingMethod::none;
    int process = 0;                           // of the creator
    int descriptor = -1;                       // memfd: reached through /proc/<process>/fd/<descriptor>
    unsigned long long number = 0;             // posix: names the file in /dev/shm
    unsigned long long device = 0, inode = 0;  // of the file: who opens another one is on another machine
    std::size_t bytes = 0;
};

// A new, empty file in /dev/shm under a name that begins with "/kumihimo-", for who cannot be given a Ticket. Keep it open as
// long as the name is there: a lock tells others that it is not left from a process that was killed. None: errno says why.
Descriptor create_named(const std::string& name);

// Owns one mapping (read and write, zero-filled at first).
class Mapping {
public:
    Mapping() = default;
    static Mapping anonymous(std::size_t bytes);               // private to this process
    static Mapping shared(int descriptor, std::size_t bytes);  // throws Error if the kernel refuses
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    void ask_for_huge_pages(std::size_t offset, std::size_t length) const;  // a wish; whole pages inside the range

private:
    Mapping(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// The creator's end. Keep it until all others have attached; mappings outlive it.
class SharedFile {
public:
    // Throws Error if this machine does not allow it. The file is sparse: memory is taken when it is touched.
    static SharedFile create(SharingMethod method, std::size_t bytes);
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&&) = delete;
    ~SharedFile();

    const Ticket& ticket() const { return ticket_; }
    Mapping map() const { return Mapping::shared(ticket_.descriptor, ticket_.bytes); }

private:
    explicit SharedFile(const Ticket& ticket) : ticket_(ticket) {}
    Ticket ticket_;
};

// The others' end. Throws Error if the file cannot be reached from here.
// `reserve`: bytes at `offset` are set aside now, so that touching them later cannot end in SIGBUS (posix only).
Mapping attach(const Ticket& ticket);
void reserve(const Ticket& ticket, std::size_t offset, std::size_t length);

// What a creator writes into its memory, so that others know that they have attached to it and to no other machine's: machines
// may agree in process, descriptor and inode numbers.
unsigned long long fresh_token();

}  // namespace kumihimo::base
