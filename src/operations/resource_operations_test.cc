#include "operations/resource_operations.h"

#include <gtest/gtest.h>

namespace shopbell::operations {
namespace {

struct Bell {
  std::string name;
};

const json::Table<Bell>& bell_json() {
  static const json::Table<Bell> table{
      "Bell", "A bell.", {json::text("name", &Bell::name).required().example(R"("Brass")")}};
  return table;
}

ResourceOperations bells() {
  return ResourceOperations{.tag = "Bells", .tag_description = "Bells.", .versioned = true}
      .with_answer(bell_json());
}

std::vector<std::string> names_of(const std::vector<QueryParameter>& parameters) {
  std::vector<std::string> names;
  for (const auto& parameter : parameters) names.push_back(parameter.name);
  return names;
}

using Codes = std::vector<Code>;

TEST(ResourceOperations, a_read_answers_with_the_resource) {
  const Description described = bells().get("getBell", "Get a bell", "By its id.");
  EXPECT_EQ(described.id, "getBell");
  EXPECT_EQ(described.tag, "Bells");
  EXPECT_EQ(described.tag_description, "Bells.");
  EXPECT_EQ(described.summary, "Get a bell");
  EXPECT_EQ(described.description, "By its id.");
  EXPECT_EQ(described.success, 200);
  EXPECT_EQ(described.answer_name, "Bell");
  EXPECT_EQ(described.answer.members.size(), 1U);
  EXPECT_TRUE(described.versioned);
  EXPECT_EQ(described.problems, Codes{Code::not_found});
}

TEST(ResourceOperations, a_list_answers_with_a_page_without_etag) {
  const Description described =
      bells().list("listBells", "List bells", "", {{"q", "A name.", {.type = "string"}}});
  EXPECT_EQ(names_of(described.parameters),
            (std::vector<std::string>{"q", "limit", "cursor", "order"}));
  EXPECT_EQ(described.answer_name, "BellPage");
  EXPECT_EQ(described.answer.members[0].schema.items[0].reference, "Bell");
  EXPECT_FALSE(described.versioned);
  EXPECT_EQ(described.problems, Codes{Code::invalid_cursor});
}

TEST(ResourceOperations, a_list_inlines_the_schema_of_its_items) {
  ResourceOperations resource = bells();
  resource.page_item = json::Schema{.type = "string"};
  const Description described = resource.list("listBells", "List bells", "");
  EXPECT_EQ(described.answer.members[0].schema.items[0].type, "string");
  EXPECT_EQ(described.answer.members[0].schema.items[0].reference, "");
}

TEST(ResourceOperations, a_new_object_is_not_missing_unless_it_is_nested) {
  ResourceOperations resource = bells();
  const OperationDetails details{.body = new_body(bell_json()), .problems = {Code::limit_reached}};
  const Description described = resource.create("createBell", "Create a bell", "", details);
  EXPECT_EQ(described.success, 201);
  EXPECT_EQ(described.body->name, "NewBell");
  EXPECT_EQ(described.problems, Codes{Code::limit_reached});

  resource.nested = true;
  EXPECT_EQ(resource.create("createBell", "Create a bell", "", details).problems,
            (Codes{Code::not_found, Code::limit_reached}));
  EXPECT_EQ(resource.list("listBells", "List bells", "").problems,
            (Codes{Code::not_found, Code::invalid_cursor}));
}

TEST(ResourceOperations, an_upsert_responds_with_200_or_201) {
  const Description described =
      bells().upsert("putBell", "Change or create a bell", "", {.problems = {Code::url_domain}});
  EXPECT_EQ(described.success, 200);
  EXPECT_TRUE(described.may_create);
  EXPECT_EQ(described.problems, Codes{Code::url_domain});
}

TEST(ResourceOperations, a_change_adds_its_problems_to_those_of_the_resource) {
  const OperationDetails details{.body = patch_body(bell_json(), R"({"name":"Iron"})"),
                                 .parameters = {{"mode", "How.", {.type = "string"}}},
                                 .problems = {Code::name_taken},
                                 .further_scopes = {"bells:ring"}};
  const Description described = bells().change("changeBell", "Change a bell", "", details);
  EXPECT_EQ(described.body->name, "BellPatch");
  EXPECT_EQ(described.body->example, R"({"name":"Iron"})");
  EXPECT_EQ(names_of(described.parameters), std::vector<std::string>{"mode"});
  EXPECT_EQ(described.problems, (Codes{Code::not_found, Code::name_taken}));
  EXPECT_EQ(described.further_scopes, std::vector<std::string>{"bells:ring"});
  EXPECT_EQ(bells().enqueue("ringBell", "Ring a bell", "").success, 202);
}

TEST(ResourceOperations, a_deletion_has_no_body_and_only_a_versioned_etag) {
  ResourceOperations resource = bells();
  const Description described = resource.remove("deleteBell", "Delete a bell", "");
  EXPECT_EQ(described.success, 204);
  EXPECT_EQ(described.answer_name, "");
  EXPECT_TRUE(described.versioned);

  resource.versioned = false;
  resource.hashed = true;
  EXPECT_FALSE(resource.remove("deleteBell", "Delete a bell", "").hashed);
}

TEST(ResourceOperations, bodies_have_the_example_of_the_table_or_their_own) {
  EXPECT_EQ(body_of(bell_json()).name, "Bell");
  EXPECT_EQ(new_body(bell_json()).example, R"({"name":"Brass"})");
  EXPECT_EQ(new_body(bell_json(), R"({"name":"Iron"})").example, R"({"name":"Iron"})");
  EXPECT_EQ(new_body(bell_json()).schema.members.size(), 1U);
  EXPECT_EQ(patch_body(bell_json(), "{}").schema.optional_members.size(), 1U);
}

}  // namespace
}  // namespace shopbell::operations
