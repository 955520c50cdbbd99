#include "json/document.h"

#include <gtest/gtest.h>

#include "base/problem.h"

namespace shopbell::json {
namespace {

std::string nested(int levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(Document, rejects_everything_that_is_not_strict_json) {
  const std::vector<std::string> texts{
      "",
      " ",
      "{",
      "[1,]",
      R"({"a":1,})",
      "// no\n1",
      "/* no */ 1",
      "NaN",
      "Infinity",
      "-",
      "01",
      "+1",
      ".5",
      "5.",
      "1e",
      "0x10",
      "'a'",
      "{a:1}",
      R"({"a" 1})",
      R"("\x41")",
      R"("\ud800")",
      R"("\udc00\ud800")",
      "\"\t\"",
      "\"\n\"",
      "\"\xff\"",
      "\"\xc0\xaf\"",
      "\"\xed\xa0\x80\"",
      "\xef\xbb\xbf{}",
      "truE",
      "nul",
      "1 2",
      "[] []",
      R"({"a":1,"a":2})",
      R"({"a":1,"b":{"c":1,"c":1}})",
      R"({"a":1,"\u0061":2})",
      R"("\u0000")",
      R"({"\u0000":1})",
      nested(33),
      nested(100'000),
      std::string("1\0", 2),
  };
  for (const auto& text : texts) EXPECT_FALSE(Document::parse(text)) << text.substr(0, 40);
}

TEST(Document, accepts_strict_json) {
  for (const std::string text : {"0", "-0.0e-10", "\"\"", R"("\ud83d\udd14")", "[]", "{}",
                                 " [ 1 , null ] ", "true", "\"\x7f\""}) {
    EXPECT_TRUE(Document::parse(text)) << text;
  }
  EXPECT_TRUE(Document::parse(nested(32)));
}

TEST(Document, keeps_every_digit) {
  const auto document = Document::parse(R"({"total": 123456789012345678.123456, "n": 1e2})");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().member("total")->number_text(), "123456789012345678.123456");
  EXPECT_EQ(document->root().member("n")->number_text(), "1e2");
  EXPECT_EQ(document->root().member("n")->type(), Type::number);
  EXPECT_FALSE(document->root().member("missing"));
}

TEST(Document, walks_objects_and_lists) {
  const auto document = Document::parse(R"({"a": [true, "x"], "b": null})");
  ASSERT_TRUE(document);
  std::string seen;
  document->root().for_each([&](std::string_view name, Value value) {
    seen.append(name).append(value.type() == Type::list ? "[" : "0");
    value.for_each([&](std::string_view, Value element) {
      seen.append(element.type() == Type::boolean ? (element.boolean() ? "T" : "F")
                                                  : element.text());
    });
  });
  EXPECT_EQ(seen, "a[Txb0");
}

TEST(Document, a_malformed_body_throws_a_problem) {
  try {
    Document::parse_body("{\"a\":}");
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::malformed_json);
    EXPECT_TRUE(problem.detail().starts_with("At byte 5:")) << problem.detail();
  }
}

}  // namespace
}  // namespace shopbell::json
