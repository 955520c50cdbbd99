#include "json/fields.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace shopbell::json {
namespace {

struct Size {
  std::int64_t width = 3;
};

struct Box {
  std::string label = "a \"box\"\n";
  std::optional<std::string> colour;
  std::optional<std::int64_t> weight = 12;
  bool open = true;
  std::vector<std::string> tags{"x", "ü"};
  Instant made_at = *parse_rfc3339("2026-11-15T01:02:03.004Z");
  Size size;
};

const Table<Box>& box_table() {
  static const Table<Size> size{"Size", "How large.", {integer("width", &Size::width)}};
  static const Table<Box> box{
      "Box",
      "A box.",
      {text("label", &Box::label).doc("What it says.").length_max(20).example("\"shoes\""),
       text("colour", &Box::colour).options({"red", "blue"}), integer("weight", &Box::weight),
       boolean("open", &Box::open), texts("tags", &Box::tags),
       instant("madeAt", &Box::made_at).read_only(), object("size", &Box::size, size)}};
  return box;
}

TEST(Fields, encode_a_resource_in_the_order_of_the_table) {
  EXPECT_EQ(box_table().to_json(Box{}),
            R"({"label":"a \"box\"\n","colour":null,"weight":12,"open":true,"tags":["x","ü"],)"
            R"("madeAt":"2026-11-15T01:02:03.004Z","size":{"width":3}})");
}

TEST(Fields, describe_themselves) {
  Writer writer;
  write(writer, box_table().schema());
  const auto document = Document::parse(writer.finish());
  ASSERT_TRUE(document);
  const auto properties = document->root().member("properties");
  EXPECT_EQ(properties->size(), 7U);
  EXPECT_EQ(properties->member("label")->member("maxLength")->number_text(), "20");
  EXPECT_EQ(properties->member("colour")->member("type")->size(), 2U);  // string or null
  EXPECT_EQ(properties->member("colour")->member("enum")->size(), 3U);  // red, blue, null
  EXPECT_TRUE(properties->member("madeAt")->member("readOnly")->boolean());
  EXPECT_TRUE(properties->member("size")->member("properties")->member("width"));
}

}  // namespace
}  // namespace shopbell::json
