#include "http/reference/openapi_sharing.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

// Long enough to be worth a reference.
json::Schema option() {
  return {.type = "string", .description = std::string(200, 'x'), .options = {"a", "b"}};
}

json::Schema object_of(const std::string& member, json::Schema schema) {
  json::Schema object{.type = "object"};
  object.members = {{member, std::move(schema)}};
  return object;
}

TEST(OpenapiSharing, moves_repeated_schemas_to_their_own) {
  json::Schema list{.type = "array"};
  list.items = {option()};
  const NamedSchemas shared = share_schemas(
      {{"Bell", object_of("tone", option())}, {"Clock", object_of("tones", std::move(list))}});
  ASSERT_EQ(shared.size(), 3U);
  EXPECT_EQ(shared.at("Tone").options.size(), 2U);
  EXPECT_EQ(shared.at("Bell").members.front().schema.reference, "Tone");
  EXPECT_EQ(shared.at("Clock").members.front().schema.items.front().reference, "Tone");
}

TEST(OpenapiSharing, shares_the_largest_repeated_part) {
  const NamedSchemas shared =
      share_schemas({{"Bell", object_of("tower", object_of("of", option()))},
                     {"Clock", object_of("in", object_of("of", option()))}});
  ASSERT_EQ(shared.size(), 3U);
  EXPECT_TRUE(shared.at("Tower").members.front().schema.reference.empty());
  EXPECT_EQ(shared.at("Bell").members.front().schema.reference, "Tower");
  EXPECT_EQ(shared.at("Clock").members.front().schema.reference, "Tower");
}

TEST(OpenapiSharing, keeps_existing_names) {
  json::Schema other = option();
  other.nullable = true;
  const NamedSchemas shared = share_schemas({{"Bell", object_of("clock", option())},
                                             {"Clock", object_of("bell", option())},
                                             {"Tower", object_of("clock", other)},
                                             {"Town", object_of("bell", other)}});
  EXPECT_EQ(shared.at("Bell").members.front().schema.reference, "BellClock");
  EXPECT_EQ(shared.at("Clock").members.front().schema.reference, "BellClock");
  EXPECT_EQ(shared.at("Tower").members.front().schema.reference, "TowerClock");
  EXPECT_EQ(shared.size(), 6U);
}

TEST(OpenapiSharing, leaves_short_and_single_schemas_in_place) {
  const json::Schema text{.type = "string"};
  const NamedSchemas shared = share_schemas({{"Bell", object_of("name", text)},
                                             {"Clock", object_of("name", text)},
                                             {"Tower", object_of("tone", option())}});
  EXPECT_EQ(shared.size(), 3U);
  EXPECT_TRUE(shared.at("Tower").members.front().schema.reference.empty());
}

TEST(OpenapiSharing, numbers_components_of_the_same_name) {
  const std::string first = "\"" + std::string(200, 'a') + "\"";
  const std::string second = "\"" + std::string(200, 'b') + "\"";
  SharedComponents components{"responses"};
  for (const auto& value : {first, second, first, second}) components.count("404", value);
  components.count("405", "\"once\"");
  json::Writer uses;
  uses.begin_list();
  for (const auto& value : {first, second, std::string{"\"once\""}}) components.write(uses, value);
  uses.end();
  EXPECT_EQ(uses.finish(), R"([{"$ref":"#/components/responses/404"},)"
                           R"({"$ref":"#/components/responses/404-2"},"once"])");
  json::Writer all;
  all.begin_object();
  components.write_all(all);
  all.end();
  EXPECT_EQ(all.finish(), "{\"404\":" + first + ",\"404-2\":" + second + "}");
}

}  // namespace
}  // namespace shopbell::http
