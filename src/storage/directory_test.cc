#include "storage/directory.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "runtime/wait.h"

namespace shopbell::storage {
namespace {

class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-files.XXXXXX").string();
    root_ = ::mkdtemp(made.data());
  }
  ~DirectoryTest() override { std::filesystem::remove_all(root_); }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return runtime::run_to_end(loop_, std::move(work));
  }

  void put(Storage& storage, const std::string& name, const std::vector<std::string>& blocks) {
    const auto upload = run(storage.create(name));
    for (const auto& block : blocks) run(upload->write(block));
    run(upload->finish());
  }

  std::optional<std::string> get(Storage& storage, const std::string& name,
                                 std::uint64_t offset = 0) {
    const auto download = run(storage.open(name, offset));
    if (!download) return std::nullopt;
    std::string all;
    while (true) {
      const std::string block = run(download->read());
      if (block.empty()) return all;
      all += block;
    }
  }

  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root_})
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }

  boost::asio::io_context loop_;
  std::filesystem::path root_;
};

TEST_F(DirectoryTest, a_finished_file_can_be_read_from_any_byte) {
  Directory storage{root_ / "made/later"};
  const std::string large(limits::kDownloadBlock * 2 + 17, 'x');
  put(storage, "exports/1/a-1", {"head ", large, "", "tail"});
  EXPECT_EQ(get(storage, "exports/1/a-1"), "head " + large + "tail");
  EXPECT_EQ(get(storage, "exports/1/a-1", 5 + large.size()), "tail");
  EXPECT_EQ(run(storage.open("exports/1/a-1", 0))->size(), large.size() + 9);
  EXPECT_EQ(get(storage, "exports/1/none"), std::nullopt);
}

TEST_F(DirectoryTest, an_unfinished_upload_is_invisible_and_is_cleaned_up) {
  Directory storage{root_};
  {
    const auto upload = run(storage.create("exports/1/a-1"));
    run(upload->write("half of it"));
    EXPECT_EQ(get(storage, "exports/1/a-1"), std::nullopt);
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(DirectoryTest, removing_also_deletes_leftovers_of_a_killed_process) {
  Directory storage{root_};
  put(storage, "a", {"x"});
  std::ofstream{root_ / "a.part"} << "half";
  const auto reading = run(storage.open("a", 0));
  run(storage.remove("a"));
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(run(reading->read()), "x");
  run(storage.remove("a"));  // removing a missing file is not an error
}

TEST_F(DirectoryTest, a_failed_write_is_an_error) {
  std::ofstream{root_ / "file"} << "in the way";
  Directory storage{root_ / "file"};
  EXPECT_THROW(run(storage.create("a/b")), Error);
}

TEST(StorageName, cannot_leave_the_storage) {
  for (const auto* name : {"a", "exports/42/019a-1", "a/b/c/d", "x.csv"})
    EXPECT_TRUE(is_name(name));
  for (const auto* name :
       {"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "A", "a b", "a\\b", "a/b/c/d/e", "a%2f"})
    EXPECT_FALSE(is_name(name)) << name;
  EXPECT_FALSE(is_name(std::string(129, 'a')));
}

}  // namespace
}  // namespace shopbell::storage
