// Views of several datatypes, representations (MPI 3.1, 13.3 and 13.5).
#include <random>

#include "tests/mpiio/file/scratch.hpp"

namespace {

// Every rank's k-th int lies at k * ranks + rank.
MPI_Datatype interleaved() {
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(4) * ranks(), &type);
    MPI_Type_commit(&type);
    return type;
}

}  // namespace

TEST(Views, InterleavedIntegers) {
    const Scratch scratch("interleaved");
    MPI_File file = scratch.open(create_and_write);
    MPI_Datatype type = interleaved();
    constexpr int count = 1000;
    EXPECT_OK(MPI_File_set_view(file, 12 + 4 * rank(), MPI_INT, type, "native", MPI_INFO_NULL));
    std::vector<int> mine(count), back(count);
    for (int k = 0; k < count; ++k) mine[k] = k * ranks() + rank();
    EXPECT_OK(MPI_File_write_all(file, mine.data(), count, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Offset byte = 0, position = 0;
    EXPECT_OK(MPI_File_get_position(file, &position));
    EXPECT_EQ(count, position);
    EXPECT_OK(MPI_File_get_byte_offset(file, 10, &byte));
    EXPECT_EQ(12 + 4 * (rank() + 10 * ranks()), byte);
    EXPECT_OK(MPI_File_read_at_all(file, 0, back.data(), count, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(mine, back);
    MPI_Offset displacement = 0;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    EXPECT_OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    EXPECT_EQ(12 + 4 * rank(), displacement);
    EXPECT_EQ(MPI_INT, etype);
    EXPECT_STREQ("native", representation);
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(filetype, &lower, &extent);
    EXPECT_EQ(4 * ranks(), extent);
    MPI_Type_free(&filetype);
    MPI_Type_free(&type);
    EXPECT_OK(MPI_File_close(&file));
    if (rank() != 0) return;
    Bytes wanted(12);
    for (int i = 0; i < count * ranks(); ++i)
        wanted.insert(wanted.end(), reinterpret_cast<unsigned char*>(&i), reinterpret_cast<unsigned char*>(&i) + 4);
    EXPECT_EQ(wanted, scratch.bytes());
}

// A matrix in blocks of rows by rank, written transposed: memory by columns, file by rows.
TEST(Views, SubarrayFromTransposedMemory) {
    const Scratch scratch("transposed");
    MPI_File file = scratch.open(create_and_write);
    const int rows = 6, columns = 10, sizes[] = {rows * ranks(), columns}, parts[] = {rows, columns},
              starts[] = {rows * rank(), 0};
    MPI_Datatype filetype, column, memory;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_create_hvector(columns, 1, static_cast<MPI_Aint>(4) * rows, MPI_INT, &column);  // one row of the file
    MPI_Type_create_hvector(rows, 1, 4, column, &memory);
    MPI_Type_commit(&memory);
    std::vector<int> values(rows * columns);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) values[j * rows + i] = (rows * rank() + i) * columns + j;
    EXPECT_OK(MPI_File_set_view(file, 0, MPI_INT, filetype, "native", MPI_INFO_NULL));
    MPI_Status status;
    EXPECT_OK(MPI_File_write_all(file, values.data(), 1, memory, &status));
    EXPECT_EQ(1, count_of(status, memory));
    EXPECT_EQ(rows * columns, count_of(status, MPI_INT));
    std::vector<int> back(values.size());
    EXPECT_OK(MPI_File_read_at_all(file, 0, back.data(), 1, memory, MPI_STATUS_IGNORE));
    EXPECT_EQ(values, back);
    for (MPI_Datatype* const type : {&filetype, &column, &memory}) MPI_Type_free(type);
    EXPECT_OK(MPI_File_close(&file));
    if (rank() != 0) return;
    const Bytes bytes = scratch.bytes();
    ASSERT_EQ(4u * rows * columns * ranks(), bytes.size());
    for (int i = 0; i < rows * columns * ranks(); ++i) {
        int value = 0;
        std::memcpy(&value, bytes.data() + 4 * static_cast<std::size_t>(i), 4);
        ASSERT_EQ(i, value);
    }
}

// Ranks own random pieces of a file, write them in several calls through indexed views, and read each other's.
TEST(Views, RandomPieces) {
    const unsigned seed = 20261121;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);  // the same on all ranks
    for (int round = 0; round < 15; ++round) {
        const Scratch scratch("random");
        const int length = 200 + static_cast<int>(random() % 3000), displacement = static_cast<int>(random() % 50);
        std::vector<int> owner(length);
        for (int i = 0; i < length;)
            for (int run = 1 + static_cast<int>(random() % 40), who = static_cast<int>(random() % ranks());
                 run > 0 && i < length; --run)
                owner[i++] = who;
        Bytes content(length);
        for (auto& byte : content) byte = static_cast<unsigned char>(random());
        const auto view_of = [&](int who, Bytes& data) {
            std::vector<int> lengths, places;
            for (int i = 0; i < length; ++i) {
                if (owner[i] != who) continue;
                data.push_back(content[i]);
                lengths.push_back(1);
                places.push_back(i);
            }
            MPI_Datatype indexed, type;
            MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &indexed);
            MPI_Type_create_resized(indexed, 0, length, &type);
            MPI_Type_commit(&type);
            MPI_Type_free(&indexed);
            return type;
        };
        MPI_File file = scratch.open(create_and_write);
        Bytes mine, theirs;
        MPI_Datatype type = view_of(rank(), mine), next = view_of((rank() + 1) % ranks(), theirs);
        EXPECT_OK(MPI_File_set_view(file, displacement, MPI_BYTE, type, "native", MPI_INFO_NULL));
        const int half = static_cast<int>(mine.size() / 2), rest = static_cast<int>(mine.size()) - half;
        EXPECT_OK(MPI_File_write_all(file, mine.data(), half, MPI_BYTE, MPI_STATUS_IGNORE));
        if (round % 2 == 0) {
            EXPECT_OK(MPI_File_write_all(file, mine.data() + half, rest, MPI_BYTE, MPI_STATUS_IGNORE));
        } else {
            EXPECT_OK(MPI_File_write(file, mine.data() + half, rest, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        EXPECT_OK(MPI_File_sync(file));
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_OK(MPI_File_sync(file));
        EXPECT_OK(MPI_File_set_view(file, displacement, MPI_BYTE, next, "native", MPI_INFO_NULL));
        Bytes back(theirs.size());
        EXPECT_OK(MPI_File_read_all(file, back.data(), static_cast<int>(back.size()), MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_EQ(theirs, back);
        MPI_Type_free(&type);
        MPI_Type_free(&next);
        EXPECT_OK(MPI_File_close(&file));
        Bytes wanted(displacement, 0);
        wanted.insert(wanted.end(), content.begin(), content.end());
        if (rank() == 0) {
            EXPECT_EQ(wanted, scratch.bytes());
        }
    }
}

TEST(Views, WrongOnesAreRefused) {
    const Scratch scratch("wrong");
    MPI_File file = scratch.open(create_and_write);
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_DATAREP, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "morse", MPI_INFO_NULL));
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_set_view(file, -8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_INT, "native", MPI_INFO_NULL));
    const int lengths[] = {1, 1}, decreasing[] = {4, 0}, overlapping[] = {0, 0};
    for (const int* const places : {decreasing, overlapping}) {
        MPI_Datatype type;
        MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
        MPI_Type_commit(&type);
        EXPECT_CLASS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
        MPI_Type_free(&type);
    }
    EXPECT_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    const char bytes[3] = {};
    EXPECT_CLASS(MPI_ERR_IO, MPI_File_write_at(file, 0, bytes, 3, MPI_CHAR, MPI_STATUS_IGNORE));  // not whole etypes
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Views, External32IsBigEndian) {
    const Scratch scratch("external32");
    MPI_File file = scratch.open(create_and_write);
    EXPECT_OK(MPI_File_set_view(file, rank() * 12, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
    const int number = 0x01020304 + rank();
    const double half = 0.5;  // 3F E0 00 ...
    MPI_Status status;
    EXPECT_OK(MPI_File_write_all(file, &number, 1, MPI_INT, &status));
    EXPECT_EQ(1, count_of(status, MPI_INT));
    EXPECT_OK(MPI_File_write_all(file, &half, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    int number_back = 0;
    double half_back = 0;
    EXPECT_OK(MPI_File_read_at_all(file, 0, &number_back, 1, MPI_INT, &status));
    EXPECT_OK(MPI_File_read_at_all(file, 4, &half_back, 1, MPI_DOUBLE, &status));
    EXPECT_EQ(1, count_of(status, MPI_DOUBLE));
    EXPECT_EQ(number, number_back);
    EXPECT_EQ(half, half_back);
    MPI_Aint extent = 0;
    EXPECT_OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    EXPECT_EQ(8, extent);
    EXPECT_OK(MPI_File_close(&file));
    Bytes wanted;
    for (int i = 0; i < ranks(); ++i) {
        const Bytes one = {1, 2, 3, static_cast<unsigned char>(4 + i), 0x3F, 0xE0, 0, 0, 0, 0, 0, 0};
        wanted.insert(wanted.end(), one.begin(), one.end());
    }
    if (rank() == 0) {
        EXPECT_EQ(wanted, scratch.bytes());
    }
}
