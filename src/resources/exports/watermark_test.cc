#include "resources/exports/watermark.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace shopbell::exports {
namespace {

TEST(Watermark, is_bound_to_its_account_and_rejects_any_changed_letter) {
  std::string made = (std::filesystem::temp_directory_path() / "shopbell-ring.XXXXXX").string();
  const std::filesystem::path directory = ::mkdtemp(made.data());
  const auto ring = keyring::Keyring::create(directory / "keyring", system_clock().now());
  const Moment moment{.incarnation = "7708431681837277380.00000001.16384",
                      .taken_s = 1'800'000'000,
                      .snapshot = "971:980:973,975"};
  const std::string watermark = watermark_of(ring, 7, moment);
  EXPECT_EQ(verify_watermark(ring, 7, watermark), moment);
  EXPECT_EQ(moment_in(watermark), moment);
  EXPECT_EQ(verify_watermark(ring, 8, watermark), std::nullopt);
  for (std::size_t i = 0; i < watermark.size(); ++i) {
    std::string other = watermark;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_EQ(verify_watermark(ring, 7, other), std::nullopt) << i;
  }
  EXPECT_EQ(verify_watermark(ring, 7, ""), std::nullopt);
  std::filesystem::remove_all(directory);
}

TEST(Watermark, rejects_text_that_could_inject_sql) {
  EXPECT_TRUE(moment_from("1.A.2 17 3:4:"));
  for (const auto* text :
       {"", "a", "1 2", "1.2.3 17 3:4:'", "1.2.3' 17 3:4:", "1.2 x 3:4:", "1  3"})
    EXPECT_EQ(moment_from(text), std::nullopt) << text;
}

}  // namespace
}  // namespace shopbell::exports
