#include "iod/files/service.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/format.hpp"
#include "iod/files/channels.hpp"
#include "iod/files/claiming.hpp"
#include "iod/files/file.hpp"
#include "iod/files/session.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

// ---- questions about files that are not open ----

Status failure(const Root& root, const std::string& what, const std::string& path) {
    return root.failure(what, path, errno);
}

FileFacts facts_of(const std::string& name, const struct stat& status) {
    const FileKind kind = S_ISREG(status.st_mode)   ? FileKind::file
                          : S_ISDIR(status.st_mode) ? FileKind::directory
                          : S_ISLNK(status.st_mode) ? FileKind::link
                                                    : FileKind::other;
    return {name, kind, status.st_size, status.st_mtime, status.st_mode & 07777};
}

Status remove(const Root& root, const FileRemove& asked) {
    return root.remove(asked.path) == 0 ? Status{} : failure(root, "delete", asked.path);
}

// Somebody may have removed the file, and another one has its name now, which is not whole yet.
Status rename(const Root& root, const FileRename& asked) {
    const std::string what = fmt::format("rename '{}' to", asked.from);
    if (asked.file != 0) {
        const base::Descriptor found(root.open(asked.from, O_RDONLY, 0));
        if (!found) return failure(root, what, asked.to);
        if (identity_since_boot(found.get()) != asked.file)
            return {Code::no_such_file,
                    fmt::format("cannot {} '{}' {}: another file is in its place", what, asked.to, root.where()), ""};
    }
    return root.rename(asked.from, asked.to) == 0 ? Status{} : failure(root, what, asked.to);
}

Looked look(const Root& root, const FileLook& asked) {
    struct stat status {};
    struct statvfs space {};
    if (root.look(asked.path, status, space) != 0) return {failure(root, "look at", asked.path), {}, 0};
    const std::string name = asked.path.substr(asked.path.rfind('/') + 1);
    return {{}, facts_of(name, status), static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize};
}

Listed list(const Root& root, const FileList& asked) {
    std::vector<Root::Entry> entries;
    if (root.list(asked.path, entries) != 0) return {failure(root, "list", asked.path), {}, false};
    Listed listed;
    auto next = std::ranges::upper_bound(entries, asked.after, {}, &Root::Entry::name);
    for (; next != entries.end() && listed.entries.size() < limit::listed_files; ++next)
        listed.entries.push_back(facts_of(next->name, next->status));
    listed.more = next != entries.end();
    return listed;
}

// As a path within the root; empty: the home directory is outside of it, or nobody knows it.
std::string home_within(const Root& root) {
    const char* const said = std::getenv("HOME");
    const std::string home = said != nullptr ? said : "";
    if (root.path() == "/") return home;
    const bool inside = home.starts_with(root.path()) && (home.size() == root.path().size() || home[root.path().size()] == '/');
    return inside ? home.substr(root.path().size()) + (home.size() == root.path().size() ? "/" : "") : "";
}

About about(const Root& root, const FileAbout&) {
    return {{}, KUMIHIMO_VERSION, root.path(), home_within(root), root.read_only()};
}

// ---- what may be opened ----

// A question that is answered at once: over when that is done.
class Errand : public Service {
public:
    Errand(std::function<Payload()> answer, std::shared_ptr<Connection> by) : answer_(std::move(answer)), by_(std::move(by)) {}
    void begin(const FrameHeader& request) override { by_->answer(request, answer_()); }
    void arrived(Connection&, Arrival&&) override { throw ProtocolError("a request about a file that is not open"); }
    void ended(Connection&, const Status&) override {}
    bool work() override { return false; }
    bool over() const override { return true; }
    void end() override {}

private:
    std::function<Payload()> answer_;
    std::shared_ptr<Connection> by_;
};

template <typename Question, typename Answer>
Opener errand(std::shared_ptr<const Root> root, Answer (*answer)(const Root&, const Question&)) {
    return [=](Host&, std::uint32_t, std::shared_ptr<Connection> opener, const Arrival& arrival) -> std::shared_ptr<Service> {
        auto asked = [=, question = decode<Question>(arrival.payload)] { return encode(answer(*root, question)); };
        return std::make_shared<Errand>(std::move(asked), std::move(opener));
    };
}

}  // namespace

Openers file_openers(std::shared_ptr<const Root> root, Store store) {
    Openers openers;
    const auto claims = std::make_shared<Claims>();
    openers[Type::file_channel] = [root](Host& host, std::uint32_t, std::shared_ptr<Connection> opener,
                                         const Arrival& arrival) -> std::shared_ptr<Service> {
        if (opener->role.kind != Role::starter) throw ProtocolError("a channel that asks for another one");
        auto asked = [&host, root, question = decode<FileChannel>(arrival.payload)] {
            return encode(offer_channel(host, *root, question));
        };
        return std::make_shared<Errand>(std::move(asked), std::move(opener));
    };
    openers[Type::file_open] = [store = std::move(store), claims, waiting = std::make_shared<Waiting>()](
                                   Host& host, std::uint32_t number, std::shared_ptr<Connection> opener,
                                   const Arrival& arrival) -> std::shared_ptr<Service> {
        const auto asked = decode<FileOpen>(arrival.payload);
        return std::make_shared<FileSession>(host, number, store(host.loop(), asked, claims->own()), asked, std::move(opener),
                                             waiting);
    };
    openers[Type::file_claim] = [claims](Host& host, std::uint32_t, std::shared_ptr<Connection> opener,
                                         const Arrival& arrival) -> std::shared_ptr<Service> {
        return std::make_shared<Claiming>(host, claims, decode<FileClaim>(arrival.payload), std::move(opener));
    };
    openers[Type::file_remove] = errand(root, remove);
    openers[Type::file_rename] = errand(root, rename);
    openers[Type::file_look] = errand(root, look);
    openers[Type::file_list] = errand(root, list);
    openers[Type::file_about] = errand(root, about);
    return openers;
}

}  // namespace kumihimo::iod::process
