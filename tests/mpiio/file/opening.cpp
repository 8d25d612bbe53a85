// Opening, closing, access modes, sizes, deletion, hints (MPI 3.1, 13.2).
#include <sys/stat.h>

#include "tests/mpiio/file/scratch.hpp"

TEST(Opening, WrongModesAreRefusedOnAllRanks) {
    const Scratch scratch("modes");
    MPI_File file;
    for (const int amode : {0, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_RDONLY | MPI_MODE_CREATE,
                            MPI_MODE_RDONLY | MPI_MODE_EXCL, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL}) {
        EXPECT_CLASS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, scratch.name(), amode, MPI_INFO_NULL, &file));
        EXPECT_EQ(MPI_FILE_NULL, file);
    }
    EXPECT_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, scratch.name(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    if (ranks() == 1) return;
    const int amode = MPI_MODE_CREATE | (rank() == 0 ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
    EXPECT_CLASS(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, scratch.name(), amode, MPI_INFO_NULL, &file));
}

TEST(Opening, ExclusiveCreationFindsTheFile) {
    const Scratch scratch("exclusive");
    MPI_File file = scratch.open(create_and_write | MPI_MODE_EXCL);
    EXPECT_OK(MPI_File_close(&file));
    EXPECT_EQ(MPI_FILE_NULL, file);
    EXPECT_CLASS(MPI_ERR_FILE_EXISTS,
                 MPI_File_open(MPI_COMM_WORLD, scratch.name(), create_and_write | MPI_MODE_EXCL, MPI_INFO_NULL, &file));
}

TEST(Opening, ModesForbidTransfers) {
    const Scratch scratch("forbidden");
    MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    char byte = 1;
    EXPECT_CLASS(MPI_ERR_ACCESS, MPI_File_read(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_ACCESS, MPI_File_read_all(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_File_write(file, &byte, -1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_write_at(file, -1, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    int amode = 0;
    EXPECT_OK(MPI_File_get_amode(file, &amode));
    EXPECT_EQ(MPI_MODE_CREATE | MPI_MODE_WRONLY, amode);
    EXPECT_OK(MPI_File_close(&file));
    file = scratch.open(MPI_MODE_RDONLY);
    EXPECT_CLASS(MPI_ERR_READ_ONLY, MPI_File_write(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 10));
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Opening, OneRanksWrongArgumentsAreEverybodysFailure) {
    const Scratch scratch("rejected");
    MPI_File file = scratch.open(create_and_write);
    const int count = rank() == ranks() - 1 ? -1 : 1;
    const char byte = 'x';
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_File_write_at_all(file, rank(), &byte, count, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_write_at_all(file, rank(), &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    if (rank() == 0) {
        EXPECT_EQ(Bytes(ranks(), 'x'), scratch.bytes());
    }
}

TEST(Opening, DeletionAndDeleteOnClose) {
    const Scratch scratch("delete");
    struct stat status {};
    MPI_File file = scratch.open(create_and_write | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_OK(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_NE(0, stat(scratch.path().c_str(), &status));
    MPI_Barrier(MPI_COMM_WORLD);
    file = scratch.open(create_and_write);
    EXPECT_OK(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        EXPECT_OK(MPI_File_delete(scratch.name(), MPI_INFO_NULL));
        EXPECT_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(scratch.name(), MPI_INFO_NULL));
    }
}

TEST(Opening, AppendBeginsAtTheEnd) {
    const Scratch scratch("append");
    MPI_File file = scratch.open(create_and_write);
    const std::string first = "0123456789";
    if (rank() == 0) {
        EXPECT_OK(MPI_File_write(file, first.data(), 10, MPI_CHAR, MPI_STATUS_IGNORE));
    }
    EXPECT_OK(MPI_File_close(&file));
    file = scratch.open(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_Offset individual = 0, shared = 0;
    EXPECT_OK(MPI_File_get_position(file, &individual));
    EXPECT_OK(MPI_File_get_position_shared(file, &shared));
    EXPECT_EQ(10, individual);
    EXPECT_EQ(10, shared);
    const char letter = static_cast<char>('a' + rank());
    EXPECT_OK(MPI_File_write_ordered(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    std::string wanted = first;
    for (int i = 0; i < ranks(); ++i) wanted += static_cast<char>('a' + i);
    if (rank() == 0) {
        EXPECT_EQ(Bytes(wanted.begin(), wanted.end()), scratch.bytes());
    }
}

TEST(Opening, SizesBeyond32Bits) {
    const Scratch scratch("size");
    MPI_File file = scratch.open(create_and_write);
    constexpr MPI_Offset large = (MPI_Offset{1} << 33) + 17;
    MPI_Offset size = 0;
    EXPECT_OK(MPI_File_set_size(file, large));
    EXPECT_OK(MPI_File_get_size(file, &size));
    EXPECT_EQ(large, size);
    MPI_Barrier(MPI_COMM_WORLD);  // what another rank writes next may count already
    const int mine = rank() + 1;
    EXPECT_OK(MPI_File_write_at_all(file, large + rank() * 4, &mine, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(MPI_File_sync(file));
    int next = 0;
    EXPECT_OK(MPI_File_read_at(file, large + (rank() + 1) % ranks() * 4, &next, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ((rank() + 1) % ranks() + 1, next);
    EXPECT_OK(MPI_File_set_size(file, 100));
    EXPECT_OK(MPI_File_preallocate(file, 4096));
    EXPECT_OK(MPI_File_get_size(file, &size));
    EXPECT_EQ(4096, size);
    EXPECT_OK(MPI_File_preallocate(file, 10));  // never shrinks
    EXPECT_OK(MPI_File_get_size(file, &size));
    EXPECT_EQ(4096, size);
    if (ranks() > 1) {
        EXPECT_CLASS(MPI_ERR_NOT_SAME, MPI_File_set_size(file, 100 + rank()));
    }
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Opening, HintsInForceCanBeRead) {
    if (with_engine("catwalk") || machine() != nullptr) GTEST_SKIP() << "it has other hints";
    const Scratch scratch("hints");
    MPI_Info info, effective;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "1048576");
    MPI_Info_set(info, "nobody_knows_this", "yes");
    MPI_File file = scratch.open(create_and_write, info);
    MPI_Info_free(&info);
    EXPECT_OK(MPI_File_get_info(file, &effective));
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    MPI_Info_get(effective, "cb_buffer_size", MPI_MAX_INFO_VAL, value, &found);
    EXPECT_TRUE(found);
    EXPECT_STREQ("1048576", value);
    MPI_Info_get(effective, "kumihimo_io", MPI_MAX_INFO_VAL, value, &found);
    EXPECT_TRUE(found);
    EXPECT_STREQ("direct", value);
    MPI_Info_get(effective, "nobody_knows_this", MPI_MAX_INFO_VAL, value, &found);
    EXPECT_FALSE(found);
    MPI_Info_free(&effective);
    MPI_Group group = MPI_GROUP_NULL, world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int compared = MPI_UNEQUAL;
    EXPECT_OK(MPI_File_get_group(file, &group));
    MPI_Group_compare(group, world, &compared);
    EXPECT_EQ(MPI_IDENT, compared);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    EXPECT_OK(MPI_File_close(&file));
}

// A program may give an info object on some ranks only, or different hints: rank 0's count, and nobody waits for ever.
TEST(Opening, HintsThatDifferBetweenRanks) {
    const Scratch scratch("hints");
    MPI_Info engine, size;
    MPI_Info_create(&engine);
    MPI_Info_set(engine, "kumihimo_io", rank() == 0 ? "direct" : "off");
    MPI_Info_create(&size);
    MPI_Info_set(size, "cb_buffer_size", "8192");
    MPI_File file = MPI_FILE_NULL;
    EXPECT_OK(MPI_File_open(MPI_COMM_WORLD, scratch.path().c_str(), create_and_write, engine, &file));
    MPI_Info used;
    MPI_File_get_info(file, &used);
    char value[64] = {};
    int found = 0;
    MPI_Info_get(used, "kumihimo_io", 63, value, &found);
    EXPECT_STREQ("direct", value);
    MPI_Info_free(&used);
    EXPECT_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", rank() == 0 ? size : MPI_INFO_NULL));
    const int mine = rank();
    EXPECT_OK(MPI_File_write_at_all(file, rank(), &mine, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    EXPECT_EQ(sizeof(int) * static_cast<std::size_t>(ranks()), scratch.bytes().size());
    MPI_Info_free(&engine);
    MPI_Info_free(&size);
}
