#include "resources/integrations/event_type.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "resources/integrations/event_field_json.h"
#include "resources/integrations/event_type_json.h"

namespace shopbell::integrations {
namespace {

using Lines = std::vector<std::string>;

Lines told(const json::Reading& reading) {
  Lines lines;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
  }
  return lines;
}

// Returns the faults of a list of fields.
Lines faults_of(std::string_view fields, json::Strictness strictness = json::Strictness::strict) {
  const auto document = json::Document::parse(fields);
  EXPECT_TRUE(document) << fields;
  json::Reading reading{strictness};
  if (const auto read = read_fields(reading, document->root())) check_size(reading, *read);
  return told(reading);
}

TEST(EventFields, are_shown_as_they_were_read) {
  const std::string shown =
      R"([{"id":"a","name":"A","required":true,"type":"object","options":[],"maxLength":null,)"
      R"("min":null,"max":null,"fields":[{"id":"b","name":"B","required":false,"type":"list",)"
      R"("options":[],"maxLength":null,"min":null,"max":null,"fields":[],"items":{)"
      R"("type":"decimal","options":[],"maxLength":null,"min":"0.5","max":null,"fields":[],)"
      R"("items":null}}],"items":null}])";
  EXPECT_EQ(fields_to_json(fields_from_json(R"([{"id":"a","name":"A","type":"object",
      "required":true,"fields":[{"id":"b","name":"B","type":"list","items":{"type":"decimal",
      "min":0.50}}]}])")),
            shown);
  EXPECT_EQ(fields_to_json(fields_from_json(shown)), shown);
}

TEST(EventFields, accept_only_members_of_their_type) {
  EXPECT_EQ(faults_of(R"([{"id":"Bad","name":"","type":"thing"},{"id":"b"}])"),
            (Lines{"/0/id invalid-format", "/0/name too-short", "/0/type not-an-option",
                   "/1/name required", "/1/type required"}));
  EXPECT_EQ(faults_of(R"([{"id":"a","name":"A","type":"choice"},
                          {"id":"b","name":"B","type":"list"},
                          {"id":"c","name":"C","type":"text","min":1,"fields":
                            [{"id":"d","name":"D","type":"text"}],"items":{"type":"text"}},
                          {"id":"e","name":"E","type":"integer","min":3,"max":2},
                          {"id":"f","name":"F","type":"lines","maxLength":3}])"),
            (Lines{"/0/options required", "/1/items required", "/2/min conflicts-with",
                   "/2/fields conflicts-with", "/2/items conflicts-with", "/3/min conflicts-with",
                   "/4/maxLength conflicts-with"}));
  EXPECT_EQ(
      faults_of(R"([{"id":"a","name":"A","type":"text"},{"id":"a","name":"A","type":"url"}])"),
      Lines{"/1/id duplicate"});
  EXPECT_EQ(faults_of(R"([{"id":"a","name":"A","type":"list","items":{"type":"object","fields":
                          [{"id":"b","name":"B","type":"choice"}],"id":"x"}}])"),
            (Lines{"/0/items/fields/0/options required", "/0/items/id unknown-member"}));
}

TEST(EventFields, are_never_skipped_by_a_lenient_reading) {
  const auto lenient = json::Strictness::lenient;
  EXPECT_EQ(faults_of(R"([{"id":"a","name":"A","type":"text","min":1}])", lenient), Lines{});
  EXPECT_EQ(faults_of(R"([{"id":"a","name":"A","type":"object","fields":[{"id":"b"}]}])", lenient),
            (Lines{"/0/fields/0/name required", "/0/fields/0/type required"}));
}

std::string nested(int levels) {
  std::string text = R"({"id":"a","name":"A","type":"text"})";
  for (int i = 1; i < levels; ++i)
    text = R"({"id":"a","name":"A","type":"object","fields":[)" + text + "]}";
  return "[" + text + "]";
}

TEST(EventFields, are_counted_at_every_depth) {
  EXPECT_EQ(faults_of(nested(5)), Lines{});
  EXPECT_EQ(faults_of(nested(6)),
            Lines{"/0/fields/0/fields/0/fields/0/fields/0/fields/0 too-long"});
  const auto lists = [](int levels) {
    std::string item = R"({"type":"text"})";
    for (int i = 1; i < levels; ++i) item = R"({"type":"list","items":)" + item + "}";
    return R"([{"id":"a","name":"A","type":"list","items":)" + item + "}]";
  };
  EXPECT_EQ(faults_of(lists(5)), Lines{});
  EXPECT_EQ(faults_of(lists(6)).size(), 1U);

  const auto wide = [](int inner) {
    std::string fields;
    for (int i = 0; i < inner; ++i)
      fields += std::format(R"({}{{"id":"f{}","name":"F","type":"text"}})", i == 0 ? "" : ",", i);
    return std::format(R"([{{"id":"a","name":"A","type":"object","fields":[{}]}}])", fields);
  };
  EXPECT_EQ(faults_of(wide(199)), Lines{});
  EXPECT_EQ(faults_of(wide(200)), Lines{" too-long"});
}

Lines changed(std::string_view before, std::string_view after) {
  json::Reading reading;
  check_change(reading, fields_from_json(before), fields_from_json(after));
  return told(reading);
}

TEST(EventFields, can_be_added_but_not_removed) {
  const auto before = R"([{"id":"a","name":"A","type":"object","fields":[
      {"id":"b","name":"B","type":"choice","options":[{"id":"x","label":"X"}]}]},
      {"id":"c","name":"C","type":"list","items":{"type":"integer","max":5}}])";
  EXPECT_EQ(changed(before, before), Lines{});
  EXPECT_EQ(changed(before, R"([{"id":"n","name":"N","type":"text"},
      {"id":"c","name":"Codes","type":"list","items":{"type":"integer","max":9}},
      {"id":"a","name":"A","type":"object","fields":[
      {"id":"b","name":"B","type":"choice","options":[{"id":"y","label":"Y"},{"id":"x","label":"Z"}]},
      {"id":"d","name":"D","type":"url"}]}])"),
            Lines{});
  EXPECT_EQ(changed(before, R"([{"id":"a","name":"A","type":"object","required":true,"fields":[
      {"id":"b","name":"B","type":"choice","options":[{"id":"y","label":"Y"}]}]},
      {"id":"c","name":"C","type":"list","items":{"type":"integer","max":4}},
      {"id":"n","name":"N","type":"text","required":true}])"),
            (Lines{"/0/required read-only", "/0/fields/0/options conflicts-with",
                   "/1/items/max conflicts-with", "/2/required conflicts-with"}));
  EXPECT_EQ(changed(before, R"([{"id":"c","name":"C","type":"list","items":{"type":"text"}}])"),
            (Lines{"/0/items/type read-only", " conflicts-with"}));
}

TEST(EventTypes, accept_only_members_of_their_direction) {
  const auto settled = [](EventType type) {
    json::Reading reading;
    settle(reading, type);
    return told(reading);
  };
  EXPECT_EQ(settled({.direction = "receive"}), Lines{"/alias required"});
  EXPECT_EQ(settled({.direction = "send"}), Lines{"/url required"});
  EXPECT_EQ(settled({.direction = "receive", .alias = "a", .url = "x", .headers = {{.name = "a"}}}),
            (Lines{"/url conflicts-with", "/headers conflicts-with"}));
  EXPECT_EQ(settled({.direction = "send", .alias = "a", .url = "x"}),
            Lines{"/alias conflicts-with"});
}

TEST(EventTypes, never_show_the_values_of_headers) {
  const EventType type{.headers = {{.name = "X-Token", .sealed = "0123456789abcdef"}}};
  const std::string shown = event_type_json().to_json(type);
  EXPECT_TRUE(shown.contains("X-Token"));
  EXPECT_FALSE(shown.contains("0123456789abcdef"));
}

TEST(EventTypes, refuse_aliases_that_are_ids) {
  for (const auto* alias : {"a", "points-redeemed", "x9"}) EXPECT_TRUE(is_alias(alias)) << alias;
  for (const auto* alias : {"", "A", "9x", "a_b", "a.b", "abcdef01-2345-7890-abcd-ef0123456789"})
    EXPECT_FALSE(is_alias(alias)) << alias;
  EXPECT_FALSE(is_alias(std::string(65, 'a')));
}

}  // namespace
}  // namespace shopbell::integrations
