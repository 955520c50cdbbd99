#include "resources/integrations/event_payload.h"

#include <gtest/gtest.h>

#include "resources/integrations/event_field_json.h"

namespace shopbell::integrations {
namespace {

constexpr std::string_view kFields = R"([
  {"id":"points","name":"Points","type":"integer","required":true,"min":0,"max":100},
  {"id":"spent","name":"Spent","type":"decimal"},
  {"id":"at","name":"At","type":"dateTime"},
  {"id":"phone","name":"Phone","type":"phone"},
  {"id":"till","name":"Till","type":"text","maxLength":5},
  {"id":"level","name":"Level","type":"choice","options":[{"id":"gold","label":"Gold"}]},
  {"id":"shop","name":"Shop","type":"object","fields":[
    {"id":"city","name":"City","type":"text","required":true},
    {"id":"open","name":"Open","type":"boolean"}]},
  {"id":"codes","name":"Codes","type":"list","items":{"type":"integer","max":9}},
  {"id":"cart","name":"Cart","type":"lines"}])";

PayloadShape shape_of(std::string_view additional = "keep", std::string_view fields = kFields) {
  return {fields_from_json(fields), additional};
}

std::vector<std::string> told(const std::vector<Fault>& faults) {
  std::vector<std::string> lines;
  for (const auto& fault : faults) lines.push_back(fault.at + " " + fault.code);
  return lines;
}

struct Outcome {
  std::optional<std::string> kept;
  std::vector<std::string> faults;
  std::vector<std::string> warnings;
};

Outcome read(const PayloadShape& shape, std::string_view payload,
             json::Strictness strictness = json::Strictness::strict) {
  const auto document = json::Document::parse(payload);
  EXPECT_TRUE(document) << payload;
  json::Reading reading{strictness};
  Outcome outcome;
  {
    const json::Reading::Place place{reading, "payload"};
    outcome.kept = shape.read(reading, document->root());
  }
  outcome.warnings = told(reading.warnings());
  try {
    reading.finish();
  } catch (const Problem& problem) {
    outcome.faults = told(problem.faults());
  }
  EXPECT_EQ(outcome.kept.has_value(), outcome.faults.empty()) << payload;
  return outcome;
}

using Lines = std::vector<std::string>;

TEST(EventPayload, is_stored_with_values_normalized_by_type) {
  const auto outcome = read(shape_of(), R"({
      "points":5.0,"spent":12.50,"at":"2026-01-01T01:00:00+01:00","phone":"+436641234567",
      "till":"A1","level":"gold","shop":{"city":"Graz","open":true},"codes":[1,2]})");
  EXPECT_EQ(outcome.kept,
            R"({"points":5,"spent":"12.5","at":"2026-01-01T00:00:00.000Z","phone":"+436641234567",)"
            R"("till":"A1","level":"gold","shop":{"city":"Graz","open":true},"codes":[1,2]})");
}

TEST(EventPayload, reports_every_fault_at_its_place) {
  const auto outcome = read(shape_of(), R"({
      "points":101,"spent":"much","at":"today","phone":"0664","till":"too long","level":"tin",
      "shop":{"open":1},"codes":[1,"x",10],"cart":[{"quantity":"two","tags":"a"},5]})");
  EXPECT_EQ(outcome.faults,
            (Lines{"/payload/points out-of-range", "/payload/spent invalid-format",
                   "/payload/at invalid-format", "/payload/phone invalid-format",
                   "/payload/till too-long", "/payload/level not-an-option",
                   "/payload/shop/open wrong-type", "/payload/shop/city required",
                   "/payload/codes/1 wrong-type", "/payload/codes/2 out-of-range",
                   "/payload/cart/0/quantity invalid-format", "/payload/cart/0/tags wrong-type",
                   "/payload/cart/1 wrong-type"}));
  EXPECT_EQ(read(shape_of(), "[]").faults, Lines{"/payload wrong-type"});
}

TEST(EventPayload, needs_required_members_and_treats_null_as_missing) {
  EXPECT_EQ(read(shape_of(), "{}").faults, Lines{"/payload/points required"});
  EXPECT_EQ(read(shape_of(), R"({"points":null})").faults, Lines{"/payload/points required"});
  EXPECT_EQ(read(shape_of(), R"({"points":1,"till":null,"shop":null})").kept, R"({"points":1})");
  EXPECT_EQ(read(shape_of(), R"({"points":1,"codes":[null]})").faults,
            Lines{"/payload/codes/0 wrong-type"});
}

TEST(EventPayload, handles_additional_members_as_the_type_demands) {
  const auto payload = R"({"points":1,"a \"b\"":{"c":[1.50,null]},"shop":{"city":"x","d":1}})";
  EXPECT_EQ(read(shape_of("keep"), payload).kept, payload);
  EXPECT_EQ(read(shape_of("drop"), payload).kept, R"({"points":1,"shop":{"city":"x"}})");
  EXPECT_EQ(read(shape_of("reject"), payload).faults,
            (Lines{"/payload/a \"b\" unknown-member", "/payload/shop/d unknown-member"}));
}

TEST(EventPayload, refuses_numbers_that_cannot_be_stored) {
  EXPECT_EQ(read(shape_of(), R"({"points":1,"x":[1e308,-1.5E-300]})").kept,
            R"({"points":1,"x":[1e308,-1.5E-300]})");
  EXPECT_EQ(read(shape_of(), R"({"points":1,"x":{"y":[0,1e200000]}})").faults,
            Lines{"/payload/x/y/1 out-of-range"});
  EXPECT_EQ(read(shape_of(), R"({"points":1,"x":1e99999999999999999999})").faults,
            Lines{"/payload/x out-of-range"});
  EXPECT_EQ(read(shape_of(), R"({"points":1,"x":)" + std::string(500, '9') + "}").faults,
            Lines{"/payload/x out-of-range"});
}

TEST(EventPayload, lenient_reading_skips_invalid_optional_members) {
  const auto lenient = json::Strictness::lenient;
  const auto outcome = read(shape_of("reject"), R"({
      "points":1,"spent":"much","shop":{"open":true},"foo":1,
      "cart":[{"sku":"a","url":"nowhere"}]})",
                            lenient);
  EXPECT_EQ(outcome.kept, R"({"points":1,"cart":[{"sku":"a"}]})");
  EXPECT_EQ(outcome.warnings,
            (Lines{"/payload/spent invalid-format", "/payload/shop/city required",
                   "/payload/foo unknown-member", "/payload/cart/0/url invalid-format"}));
  EXPECT_EQ(read(shape_of(), R"({"points":"x"})", lenient).faults,
            Lines{"/payload/points wrong-type"});
}

TEST(EventPayload, accepts_lines_of_purchases) {
  const auto line =
      R"({"lineId":"1","productId":"p","variantId":"v","sku":"s","name":"n","quantity":1.5,)"
      R"("unitPrice":"10.00","originalUnitPrice":12,"discount":0,"tax":"2.00","total":15,)"
      R"("brand":"b","categories":["x/y"],"tags":["t"],"url":"https://a.example/",)"
      R"("imageUrl":"https://a.example/i","attributes":{"size":"L","gift":true,"n":1}})";
  const auto kept =
      R"({"lineId":"1","productId":"p","variantId":"v","sku":"s","name":"n","quantity":"1.5",)"
      R"("unitPrice":"10","originalUnitPrice":"12","discount":"0","tax":"2","total":"15",)"
      R"("brand":"b","categories":["x/y"],"tags":["t"],"url":"https://a.example/",)"
      R"("imageUrl":"https://a.example/i","attributes":{"size":"L","gift":true,"n":1}})";
  EXPECT_EQ(read(shape_of("reject"), std::format(R"({{"points":1,"cart":[{}]}})", line)).kept,
            std::format(R"({{"points":1,"cart":[{}]}})", kept));
  EXPECT_EQ(read(shape_of(), R"({"points":1,"cart":[{"attributes":{"a":[]}}]})").faults,
            Lines{"/payload/cart/0/attributes/a wrong-type"});
  std::string many = "{}";
  for (int i = 0; i < 500; ++i) many += ",{}";
  EXPECT_EQ(read(shape_of(), std::format(R"({{"points":1,"cart":[{}]}})", many)).faults,
            Lines{"/payload/cart too-long"});
}

TEST(EventPayload, without_fields_accepts_any_object) {
  EXPECT_EQ(read(PayloadShape{}, R"({"a":[{"b":1}]})").kept, R"({"a":[{"b":1}]})");
}

}  // namespace
}  // namespace shopbell::integrations
