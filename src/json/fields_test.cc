#include "json/fields.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "json/document.h"

namespace shopbell::json {
namespace {

struct Size {
  std::int64_t width = 3;
  std::optional<std::int64_t> height;
};

struct Label {
  std::string text;
};

struct Box {
  std::string label = "a \"box\"\n";
  std::optional<std::string> colour;
  std::optional<std::int64_t> weight = 12;
  bool open = true;
  std::vector<std::string> tags{"x", "ü"};
  Instant made_at = *parse_rfc3339("2026-11-15T01:02:03.004Z");
  Size size;
  std::vector<Label> labels;
  std::optional<Raw> anything;
};

const Table<Box>& box_table() {
  static const Table<Size> size{
      "Size",
      "How large.",
      {integer("width", &Size::width).minimum(1).maximum(100), integer("height", &Size::height)}};
  static const Table<Label> label{
      "Label", "A label.", {text("text", &Label::text).required().length_min(1)}};
  static const Table<Box> box{
      "Box",
      "A box.",
      {text("label", &Box::label)
           .doc("What it says.")
           .required()
           .length_max(20)
           .example("\"shoes\""),
       text("colour", &Box::colour).options({"red", "blue"}), integer("weight", &Box::weight),
       boolean("open", &Box::open), texts("tags", &Box::tags).items_max(3),
       instant("madeAt", &Box::made_at).read_only(), object("size", &Box::size, size),
       objects("labels", &Box::labels, label, 2), any("anything", &Box::anything)}};
  return box;
}

// Reads `body` into `box` and returns its faults as "pointer code" lines.
std::vector<std::string> faults(const std::string& body, Box& box, bool is_new = false,
                                Strictness strictness = Strictness::strict) {
  const auto document = Document::parse(body);
  EXPECT_TRUE(document) << body;
  Reading reading{strictness};
  const auto changes = is_new ? box_table().read_new(document->root(), reading)
                              : box_table().read_patch(document->root(), reading);
  changes.apply_to(box);
  std::vector<std::string> lines;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::invalid_body);
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
  }
  for (const auto& warning : reading.warnings())
    lines.push_back("warning " + warning.at + " " + warning.code);
  return lines;
}

std::vector<std::string> faults(const std::string& body) {
  Box box;
  return faults(body, box);
}

using Lines = std::vector<std::string>;

TEST(Fields, encode_a_resource_in_the_order_of_the_table) {
  EXPECT_EQ(box_table().to_json(Box{}),
            R"({"label":"a \"box\"\n","colour":null,"weight":12,"open":true,"tags":["x","ü"],)"
            R"("madeAt":"2026-11-15T01:02:03.004Z","size":{"width":3,"height":null},"labels":[],)"
            R"("anything":null})");
}

TEST(Fields, produce_their_schema) {
  Writer writer;
  write(writer, box_table().schema());
  const auto document = Document::parse(writer.finish());
  ASSERT_TRUE(document);
  const auto properties = document->root().member("properties");
  EXPECT_EQ(properties->size(), 9U);
  EXPECT_EQ(properties->member("label")->member("maxLength")->number_text(), "20");
  EXPECT_EQ(properties->member("colour")->member("type")->size(), 2U);  // string or null
  EXPECT_EQ(properties->member("colour")->member("enum")->size(), 3U);  // red, blue, null
  EXPECT_TRUE(properties->member("madeAt")->member("readOnly")->boolean());
  EXPECT_TRUE(properties->member("size")->member("properties")->member("width"));
  EXPECT_EQ(box_table().example(), R"({"label":"shoes"})");
}

TEST(Fields, request_schemas_require_fewer_members) {
  const Schema made = box_table().new_schema();
  ASSERT_EQ(made.members.size(), 1U);
  EXPECT_EQ(made.members[0].name, "label");
  EXPECT_TRUE(box_table().patch_schema().members.empty());
}

TEST(Fields, a_patch_keeps_absent_members_clears_null_members_and_replaces_lists) {
  Box box{.colour = "red", .size = {.width = 7, .height = 9}};
  EXPECT_EQ(faults(R"({"weight":null,"tags":["z"],"size":{"height":null},)"
                   R"("labels":[{"text":"a"}],"anything":{"deep":[1.50]}})",
                   box),
            Lines{});
  EXPECT_EQ(box.colour, "red");
  EXPECT_EQ(box.weight, std::nullopt);
  EXPECT_EQ(box.tags, Lines{"z"});
  EXPECT_EQ(box.size.width, 7);
  EXPECT_EQ(box.size.height, std::nullopt);
  ASSERT_EQ(box.labels.size(), 1U);
  EXPECT_EQ(box.anything, Raw{R"({"deep":[1.50]})"});
  EXPECT_EQ(faults(R"({"anything":null})", box), Lines{});
  EXPECT_EQ(box.anything, std::nullopt);
}

TEST(Fields, all_faults_are_reported_with_their_pointers) {
  EXPECT_EQ(
      faults(R"({"label":5,"colour":"green","weight":1.5,"open":"yes","tags":["a","a",3],)"
             R"("size":{"width":101,"depth":1},"labels":[{"text":""},{}],"a/b~c":1})"),
      (Lines{"/label wrong-type", "/colour not-an-option", "/weight wrong-type", "/open wrong-type",
             "/tags/1 duplicate", "/tags/2 wrong-type", "/size/width out-of-range",
             "/size/depth unknown-member", "/labels/0/text too-short", "/labels/1/text required",
             "/a~1b~0c unknown-member"}));
}

TEST(Fields, texts_are_normalized_and_limited_to_one_line) {
  Box box;
  EXPECT_EQ(faults("{\"label\":\"u\u0308\"}", box), Lines{});  // u and a combining diaeresis
  EXPECT_EQ(box.label, "ü");
  EXPECT_EQ(faults(R"({"label":"123456789012345678901"})"), Lines{"/label too-long"});
  EXPECT_EQ(faults(R"({"label":"two\nlines"})"), Lines{"/label invalid-format"});
  EXPECT_EQ(faults("{\"label\":\"" + std::string(100'000, 'x') + "\"}"), Lines{"/label too-long"});
}

TEST(Fields, integers_fit_into_64_bits) {
  EXPECT_EQ(faults(R"({"weight":9223372036854775807})"), Lines{});
  EXPECT_EQ(faults(R"({"weight":9223372036854775808})"), Lines{"/weight out-of-range"});
  EXPECT_EQ(faults(R"({"weight":1e3})"), Lines{});
  EXPECT_EQ(faults(R"({"weight":-12.0})"), Lines{});
  EXPECT_EQ(faults(R"({"weight":1.5})"), Lines{"/weight wrong-type"});
  EXPECT_EQ(faults(R"({"weight":1e400})"), Lines{"/weight wrong-type"});
}

TEST(Fields, required_members_cannot_be_missing_or_null) {
  Box box;
  EXPECT_EQ(faults("{}", box, true), Lines{"/label required"});
  EXPECT_EQ(faults(R"({"label":null})", box, true), Lines{"/label required"});
  EXPECT_EQ(faults(R"({"open":null})"), Lines{"/open required"});
  EXPECT_EQ(faults("[]"), Lines{" wrong-type"});
}

TEST(Fields, read_only_members_are_ignored) {
  Box box;
  EXPECT_EQ(faults(R"({"madeAt":17})", box), Lines{});
  EXPECT_EQ(box.made_at, Box{}.made_at);
}

TEST(Fields, lenient_mode_skips_invalid_members_with_warnings) {
  Box box;
  EXPECT_EQ(faults(R"({"label":"x","colour":"green","nope":1,"weight":3,"labels":[{}]})", box, true,
                   Strictness::lenient),
            (Lines{"warning /colour not-an-option", "warning /nope unknown-member",
                   "warning /labels/0/text required"}));
  EXPECT_EQ(box.label, "x");
  EXPECT_EQ(box.weight, 3);
  EXPECT_TRUE(box.labels.empty());
  EXPECT_EQ(faults(R"({"label":7})", box, true, Strictness::lenient),
            Lines{"/label wrong-type"});  // required members are never skipped
}

TEST(Fields, restricting_fields_are_never_skipped) {
  const Table<Size> table{
      "Gate", "How wide.", {integer("width", &Size::width).restricts().minimum(1).maximum(2)}};
  Reading reading{Strictness::lenient};
  table.read_new(Document::parse(R"({"width":3})")->root(), reading);
  EXPECT_EQ(reading.fault_count(), 1U);
}

TEST(Fields, rejected_elements_are_not_reported_as_duplicates) {
  EXPECT_EQ(faults(R"({"tags":[1,2,"x"]})"), (Lines{"/tags/0 wrong-type", "/tags/1 wrong-type"}));
}

TEST(Fields, the_number_of_reported_faults_is_limited) {
  std::string body = "{";
  for (int i = 0; i < 5000; ++i) body += std::format("{}\"m{}\":1", i == 0 ? "" : ",", i);
  EXPECT_EQ(faults(body + "}").size(), limits::kFaults);
}

}  // namespace
}  // namespace shopbell::json
