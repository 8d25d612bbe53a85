// A file or directory by its name, of this machine or another one, and a connection with the file service there. The service of
// this machine is a thread: so all that is done with files is done in one way, but for long reads, which need no connection.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "iod/client/remote.hpp"
#include "iod/files/file.hpp"
#include "iod/way/route.hpp"

namespace kumihimo::iod::errands {

constexpr std::int64_t piece_bytes = 1 << 20;  // of a request

// Why an errand is not done, for people.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
void expect(const Status& status);  // throws Failure

struct Place {
    std::string name;      // as it was given
    std::string path;      // on its machine
    way::Machine machine;  // meaningless if it is here
    bool here = false;
};
Place place_of(const std::string& name);         // throws Failure
std::string part_name(const std::string& path);  // of what becomes that file when it is whole

// A service that can be asked for more than files of ranks; throws Failure where it cannot be reached, or is too old.
class Service {
public:
    explicit Service(const Place& place, way::Storing::By storing = way::Storing::posix);
    ~Service() { remote_->leave(); }
    Service(const Service&) = delete;
    Remote& operator*() { return *remote_; }
    Remote* operator->() { return remote_.get(); }
    bool here() const { return here_; }
    std::uint16_t version() const { return version_; }  // of the protocol that it speaks
    // A file is written from its beginning, and has so many bytes now: its digest goes on while more comes.
    void digest_meanwhile(std::int64_t bytes);

private:
    bool here_;
    std::uint16_t version_ = newest_version;
    std::unique_ptr<Remote> remote_;
};

// An open file; closed when it goes. Who writes it is the only command that does, and gives it its name before: another one
// could take it between.
class OpenFile {
public:
    OpenFile(Service& service, const std::string& path, const OpenMode& mode);
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    std::int64_t call(FileFunction function, std::int64_t value = 0);  // throws Failure
    Remote& remote() { return remote_; }
    process::File* here() { return here_.get(); }  // to read from without the service; none: of another machine
    std::int64_t size() { return call(FileFunction::size); }
    std::int64_t digest(std::int64_t bytes) { return call(FileFunction::digest, bytes); }  // of the first so many
    struct Whole {
        std::int64_t digest, bytes;
    };
    Whole make_durable(std::int64_t bytes);  // says what there is now, of the first so many bytes the digest
    void rename(const std::string& to);      // not what another one has put in its place

private:
    Status open_sole(const OpenMode& mode);

    Remote& remote_;
    const std::string path_;
    std::unique_ptr<process::File> here_;
};

}  // namespace kumihimo::iod::errands
