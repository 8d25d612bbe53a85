#include "iod/protocol/limits.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/format.hpp"

namespace kumihimo::iod {

namespace {

void between(const char* what, std::uint64_t least, std::uint64_t value, std::uint64_t most) {
    if (value < least || value > most)
        throw ProtocolError(fmt::format("{}: {}, which must be {} to {}", what, value, least, most));
}
void at_most(const char* what, std::uint64_t value, std::uint64_t most) {
    between(what, 0, value, most);
}

void check_addresses(const std::vector<std::string>& addresses, std::size_t most) {
    at_most("addresses", addresses.size(), most);
    for (const std::string& address : addresses) at_most("bytes of an address", address.size(), limit::address_bytes);
}

}  // namespace

bool possible(Offset offset, std::uint64_t bytes) {
    return offset >= 0 && bytes <= static_cast<std::uint64_t>(std::numeric_limits<Offset>::max() - offset);
}

void check(const Status& status) {
    at_most("bytes of a status", status.text.size(), limit::text_bytes);
    at_most("bytes of an errno's name", status.errno_name.size(), limit::name_bytes);
}

void check(const Hello& hello) {
    between("largest frame", limit::least_frame, hello.largest_frame, std::numeric_limits<std::uint32_t>::max());
    at_most("bytes of a name", hello.name.size(), limit::name_bytes);
}

void check(const Welcome& welcome) {
    between("largest frame", limit::least_frame, welcome.largest_frame, std::numeric_limits<std::uint32_t>::max());
    at_most("bytes of a name", welcome.name.size(), limit::name_bytes);
}

void check(const Options& options) {
    between("largest record", 1, options.largest_record, limit::record_bytes);
    at_most("sort buffer", options.sort_buffer, limit::sort_buffer_bytes);
    between("stripe", 1, options.stripe, limit::stripe_bytes);
    at_most("bytes of a journal's directory", options.journal_directory.size(), limit::path_bytes);
}

void check(const Open& open) {
    at_most("bytes of a path", open.path.size(), limit::path_bytes);
    at_most("permissions", open.mode.permissions, 07777);
    between("hosts", 1, open.hosts, limit::hosts);
    at_most("host", open.host, open.hosts - 1);
    between("servers", 1, open.servers, limit::servers);
    between("ranks of a host", 1, open.ranks_here, limit::ranks_of_host);
    check_addresses(open.neighbours, limit::list_elements);
    at_most("servers with children", open.children.size(), open.servers);
    at_most("children of a host", std::accumulate(open.children.begin(), open.children.end(), std::uint64_t{0}),
            limit::children);
}

void check(const Opened& opened) {
    check_addresses(opened.addresses, limit::addresses);
    at_most("bytes of a local address", opened.local_address.size(), limit::local_address_bytes);
    at_most("tokens of ranks", opened.rank_tokens.size(), limit::ranks_of_host);
    at_most("servers", opened.child_tokens.size(), limit::servers);
}

void check(const Channel& channel) {
    check_addresses(channel.addresses, limit::addresses);
}

void check(const Parent& parent) {
    check_addresses(parent.addresses, limit::addresses);
}

void check(const Attach& attach) {
    at_most("servers", attach.parents.size(), limit::servers);
}

void check(const Join& join) {
    at_most("rank", join.rank, limit::ranks);
}

void check(const Drained& drained) {
    if (!possible(drained.file_bytes, 0)) throw ProtocolError("a file of less than no bytes");
}

void check(const Read& read) {
    at_most("bytes of a read", read.bytes, limit::read_bytes);
    if (!possible(read.offset, read.bytes)) throw ProtocolError("a read of what no file can have");
}

void check(const Call& call) {
    constexpr Function of_places[] = {Function::set_size, Function::preallocate, Function::shared_add, Function::shared_set};
    const bool place = std::ranges::find(of_places, call.function) != std::end(of_places);
    if (place && !possible(call.value, 0)) throw ProtocolError("a size or position that no file can have");
}

void check(const Counters& counters) {
    for (const auto& [name, value] : counters) at_most("bytes of a counter's name", name.size(), limit::name_bytes);
}

void check(const Route& route) {
    between("words of a command", 1, route.command.size(), limit::command_words);
    for (const std::string& word : route.command) at_most("bytes of a word", word.size(), limit::path_bytes);
    at_most("bytes of a name", route.host.size(), limit::name_bytes);
    between("ranks of a host", 1, route.ranks, limit::ranks_of_host);
    at_most("lost ways", route.lost.size(), limit::lost_ways);
}

void check(const Routed& routed) {
    at_most("bytes of a local address", routed.local_address.size(), limit::local_address_bytes);
    at_most("tokens of ranks", routed.rank_tokens.size(), limit::ranks_of_host);
}

void check(const FileOpen& open) {
    at_most("bytes of a path", open.path.size(), limit::path_bytes);
    at_most("permissions", open.mode.permissions, 0777);
}

void check(const FileCall& call) {
    if (!possible(call.value, 0)) throw ProtocolError("a size or position that no file can have");
}

void check(const FileRemove& remove) {
    at_most("bytes of a path", remove.path.size(), limit::path_bytes);
}

void check(const About& about) {
    at_most("bytes of a version", about.version.size(), limit::name_bytes);
    at_most("bytes of a path", std::max(about.root.size(), about.home.size()), limit::path_bytes);
}

void check(const FileFacts& facts) {
    at_most("bytes of a file's name", facts.name.size(), limit::name_bytes);
    at_most("permissions", facts.permissions, 07777);
    if (!possible(facts.bytes, 0)) throw ProtocolError("a file of less than no bytes");
}

void check(const FileLook& look) {
    at_most("bytes of a path", look.path.size(), limit::path_bytes);
}

void check(const FileList& list) {
    at_most("bytes of a path", list.path.size(), limit::path_bytes);
    at_most("bytes of a file's name", list.after.size(), limit::name_bytes);
}

void check(const Listed& listed) {
    at_most("files of a list", listed.entries.size(), limit::listed_files);
}

void check(const FileRename& rename) {
    at_most("bytes of a path", std::max(rename.from.size(), rename.to.size()), limit::path_bytes);
}

}  // namespace kumihimo::iod
