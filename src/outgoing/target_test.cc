#include "outgoing/target.h"

#include <gtest/gtest.h>

namespace shopbell::outgoing {
namespace {

// The faults of moving a webhook with one stored header, and its header afterwards.
std::string move(std::string_view url, std::optional<SentHeaders> sent) {
  const SentHeaders before{{.name = "X-Token", .sealed = "00"}};
  SentHeaders after = sent.value_or(before);
  json::Reading reading;
  settle_moved_headers(reading, "https://shop.example/hook", url, before, after, sent.has_value());
  try {
    reading.finish();
  } catch (const Problem& problem) {
    return problem.faults().front().at + " " + problem.faults().front().code;
  }
  return after.empty() ? "none" : after[0].value.value_or("stored");
}

TEST(Target, another_origin_needs_the_header_values_again) {
  const SentHeaders name{{.name = "x-token"}};
  const SentHeaders value{{.name = "X-Token", .value = "new"}};
  for (const auto* url : {"https://shop.example/hook", "https://shop.example:443/other"}) {
    EXPECT_EQ(move(url, std::nullopt), "stored");
    EXPECT_EQ(move(url, name), "stored");
    EXPECT_EQ(move(url, value), "new");
  }
  EXPECT_EQ(move("https://evil.example/", std::nullopt), "/headers required");
  EXPECT_EQ(move("https://evil.example/", name), "/headers/0/value required");
  EXPECT_EQ(move("https://evil.example/", value), "new");
  EXPECT_EQ(move("https://evil.example/", SentHeaders{}), "none");
}

}  // namespace
}  // namespace shopbell::outgoing
