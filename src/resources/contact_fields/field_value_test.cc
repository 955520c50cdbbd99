#include "resources/contact_fields/field_value.h"

#include <gtest/gtest.h>

#include "resources/contact_fields/contact_field_json.h"

namespace shopbell::contact_fields {
namespace {

ContactField of_type(std::string type) {
  ContactField field{.id = "x", .name = "X", .type = std::move(type)};
  if (is_choice(field.type)) field.options = {{"a", "A"}, {"b", "B"}};
  return field;
}

// Returns the normalized value, or the code of the fault.
std::string kept(const ContactField& field, const std::string& value) {
  const auto document = json::Document::parse(value);
  EXPECT_TRUE(document) << value;
  json::Reading reading;
  const auto read = read_value(reading, field, document->root());
  if (read) return read->json;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    return problem.faults().front().code;
  }
  return "no reason";
}

TEST(FieldValue, is_normalized) {
  EXPECT_EQ(kept(of_type("text"), R"("two\nlines")"), R"("two\nlines")");
  EXPECT_EQ(kept(of_type("email"), R"("a@b.example")"), R"("a@b.example")");
  EXPECT_EQ(kept(of_type("phone"), R"("+436641234567")"), R"("+436641234567")");
  EXPECT_EQ(kept(of_type("url"), R"("https://a.example/x")"), R"("https://a.example/x")");
  EXPECT_EQ(kept(of_type("date"), R"("2024-02-29")"), R"("2024-02-29")");
  EXPECT_EQ(kept(of_type("dateTime"), R"("2026-01-01T01:00:00+01:00")"),
            R"("2026-01-01T00:00:00.000Z")");
  EXPECT_EQ(kept(of_type("boolean"), "true"), "true");
  EXPECT_EQ(kept(of_type("integer"), "-42"), "-42");
  EXPECT_EQ(kept(of_type("integer"), "1.0"), "1");
  EXPECT_EQ(kept(of_type("decimal"), "1.50"), R"("1.5")");
  EXPECT_EQ(kept(of_type("decimal"), R"("1e2")"), R"("100")");
  EXPECT_EQ(kept(of_type("choice"), R"("a")"), R"("a")");
  EXPECT_EQ(kept(of_type("choices"), R"(["b","a"])"), R"(["b","a"])");
}

TEST(FieldValue, of_another_type_is_refused) {
  EXPECT_EQ(kept(of_type("text"), "1"), "wrong-type");
  EXPECT_EQ(kept(of_type("text"), R"("\u0007")"), "invalid-format");
  EXPECT_EQ(kept(of_type("email"), R"("nobody")"), "invalid-format");
  EXPECT_EQ(kept(of_type("phone"), R"("0664 1234567")"), "invalid-format");
  EXPECT_EQ(kept(of_type("url"), R"("ftp://x")"), "invalid-format");
  EXPECT_EQ(kept(of_type("date"), R"("2023-02-29")"), "invalid-format");
  EXPECT_EQ(kept(of_type("dateTime"), R"("2026-01-01")"), "invalid-format");
  EXPECT_EQ(kept(of_type("boolean"), "0"), "wrong-type");
  EXPECT_EQ(kept(of_type("integer"), "1.5"), "wrong-type");
  EXPECT_EQ(kept(of_type("decimal"), "0.0000001"), "invalid-format");
  EXPECT_EQ(kept(of_type("decimal"), "true"), "wrong-type");
  EXPECT_EQ(kept(of_type("choice"), R"("c")"), "not-an-option");
  EXPECT_EQ(kept(of_type("choices"), R"(["a","c"])"), "not-an-option");
  EXPECT_EQ(kept(of_type("choices"), R"(["a","a"])"), "duplicate");
}

TEST(FieldValue, outside_the_bounds_is_refused) {
  ContactField field = of_type("decimal");
  field.min = json::Raw{R"("-1.5")"};
  field.max = json::Raw{R"("10")"};
  EXPECT_EQ(kept(field, "-1.5"), R"("-1.5")");
  EXPECT_EQ(kept(field, "9.999999"), R"("9.999999")");
  EXPECT_EQ(kept(field, "10.000001"), "out-of-range");
  ContactField date = of_type("date");
  date.max = json::Raw{R"("2026-12-31")"};
  EXPECT_EQ(kept(date, R"("2027-01-01")"), "out-of-range");
}

// Returns each fault of a new field as "pointer code".
std::vector<std::string> faults_of(ContactField field) {
  json::Reading reading;
  settle(reading, field);
  std::vector<std::string> lines;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ContactField, refuses_members_of_other_types) {
  ContactField field = of_type("boolean");
  field.max_length = 3;
  field.min = json::Raw{"1"};
  field.options = {{"a", "A"}};
  EXPECT_EQ(faults_of(field),
            (Lines{"/maxLength conflicts-with", "/min conflicts-with", "/options conflicts-with"}));
  field = of_type("choice");
  field.options.clear();
  EXPECT_EQ(faults_of(field), Lines{"/options required"});
  field.options = {{"a", "A"}, {"a", "B"}};
  EXPECT_EQ(faults_of(field), Lines{"/options/1/id duplicate"});
}

TEST(ContactField, that_is_required_needs_a_valid_default) {
  ContactField field = of_type("integer");
  field.required = true;
  EXPECT_EQ(faults_of(field), Lines{"/defaultValue required"});
  field.default_value = json::Raw{"5"};
  EXPECT_EQ(faults_of(field), Lines{});
  field.max = json::Raw{"4"};
  EXPECT_EQ(faults_of(field), Lines{"/defaultValue out-of-range"});
  field.min = json::Raw{"9"};
  EXPECT_EQ(faults_of(field), (Lines{"/min conflicts-with", "/defaultValue out-of-range"}));
}

Lines faults_of_change(const ContactField& before, const ContactField& after) {
  json::Reading reading;
  check_change(reading, before, after);
  Lines lines;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
  }
  return lines;
}

TEST(ContactField, refuses_changes_that_invalidate_stored_values) {
  const ContactField text = of_type("text");
  ContactField shorter = text;
  shorter.max_length = 10;
  EXPECT_EQ(faults_of_change(text, shorter), Lines{"/maxLength conflicts-with"});
  EXPECT_EQ(faults_of_change(shorter, text), Lines{});
  const ContactField choice = of_type("choice");
  ContactField fewer = choice;
  fewer.options.pop_back();
  EXPECT_EQ(faults_of_change(choice, fewer), Lines{"/options conflicts-with"});
  EXPECT_EQ(faults_of_change(fewer, choice), Lines{});
  ContactField number = of_type("integer");
  number.min = json::Raw{"1"};
  ContactField wider = number;
  wider.min = json::Raw{"0"};
  EXPECT_EQ(faults_of_change(number, wider), Lines{});
  EXPECT_EQ(faults_of_change(wider, number), Lines{"/min conflicts-with"});
  ContactField other = text;
  other.id = "y";
  other.indexed = other.required = true;
  EXPECT_EQ(faults_of_change(text, other),
            (Lines{"/id read-only", "/indexed read-only", "/required read-only"}));
}

TEST(ContactField, built_ins_are_reserved) {
  for (const auto& field : built_in_fields({})) {
    EXPECT_TRUE(is_reserved(field.id));
    EXPECT_LT(field.number, 0);
  }
  EXPECT_TRUE(is_reserved("consent"));
  EXPECT_FALSE(is_reserved("loyalty"));
  EXPECT_EQ(find_built_in("loyalty"), nullptr);
}

}  // namespace
}  // namespace shopbell::contact_fields
