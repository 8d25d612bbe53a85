#include "iod/files/stored_file.hpp"

#include <utility>

#include "iod/files/blocks.hpp"
#include "iod/files/file.hpp"
#include "iod/files/writers.hpp"

namespace kumihimo::iod::process {

namespace {

class StoredFile final : public Storage {
public:
    StoredFile(const FileOpen& open, const std::shared_ptr<const Root>& root, std::shared_ptr<Writers> writers, const Way& way)
        : file_(open.path, root->where(), root),
          writers_(std::move(writers)),
          way_(way),
          opening_(open.opening),
          sole_(open.sole) {}

    Status open(const OpenMode& mode) override {
        bool is_new = false;
        const Status status = sole_ ? file_.open_sole(mode, is_new) : file_.open(mode, is_new);
        writes_ = status.ok() && mode.write;
        if (writes_) lost_at_ = writers_->enter(file_.descriptor(), file_.identity(), way_, opening_);
        return status;
    }
    std::uint64_t identity() const override { return file_.identity_since_boot() ^ static_cast<std::uint64_t>(lost_at_); }

    Status write(const Layout& layout, std::span<const std::byte> bytes) override {
        Status status;
        for_each_block(layout, [&](Offset offset, std::size_t length) {
            digest_.changed(offset);
            status = file_.write(offset, bytes.first(length));
            bytes = bytes.subspan(length);
            begin_sync(offset, length);
            return status.ok();
        });
        return status;
    }

    // The bytes of a layout ascend: behind the first that is not there is nothing.
    Status read(const Layout& layout, std::span<std::byte> bytes, std::size_t& got) override {
        Status status;
        for_each_block(layout, [&](Offset offset, std::size_t length) {
            std::size_t more = 0;
            status = file_.read(offset, bytes.subspan(got, length), more);
            got += more;
            return status.ok() && more == length;
        });
        return status;
    }

    Status size(std::int64_t& bytes) override { return file_.size(bytes); }
    Status set_size(Offset bytes) override {
        digest_.changed(bytes);
        return file_.set_size(bytes);
    }
    Status preallocate(Offset bytes) override { return file_.preallocate(bytes); }
    Status digest(Offset bytes, std::int64_t& value) override { return file_.digest(digest_, bytes, value); }
    Status sync() override { return file_.sync(); }
    Status close() override {
        if (std::exchange(writes_, false) && lost_at_ == 0) writers_->leave(file_.descriptor(), file_.identity(), way_);
        return file_.close();
    }

    Status try_lock(bool& held) override { return file_.try_lock(held); }
    Status unlock() override { return file_.unlock(); }
    void hurry() override { file_.hurry(); }

private:
    // The disk begins with what was written in one go while the network brings more. What is written here and there may be
    // written again soon, and waits for the sync.
    void begin_sync(Offset offset, std::size_t length) {
        if (offset != run_end_) run_ = offset;
        run_end_ = offset + static_cast<Offset>(length);
        if (run_end_ - run_ < least_run) return;
        file_.begin_sync(run_, static_cast<std::size_t>(run_end_ - run_));
        run_ = run_end_;
    }

    static constexpr Offset least_run = Offset{8} << 20;
    File file_;
    GrowingDigest digest_;
    std::shared_ptr<Writers> writers_;
    const Way way_;
    const Opening opening_;
    const bool sole_;
    bool writes_ = false;
    std::int64_t lost_at_ = 0;      // when another program came and found nobody here; 0: never
    Offset run_ = 0, run_end_ = 0;  // the bytes that were written last, one behind the other
};

}  // namespace

Store store_of(std::shared_ptr<const Root> root) {
    return [root = std::move(root), writers = std::make_shared<Writers>()](asio::io_context& loop, const FileOpen& open,
                                                                           const Way& way) {
        return Stored{std::make_shared<StoredFile>(open, root, writers, way), make_worker(loop)};
    };
}

}  // namespace kumihimo::iod::process
