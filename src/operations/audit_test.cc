#include "operations/audit.h"

#include <gtest/gtest.h>

namespace shopbell::operations {
namespace {

Operation operation_at(Method method, std::string path) {
  json::Schema body{.type = "object"};
  body.members = {{"name", {.type = "string"}}};
  body.optional_members = {{"scopes", {.type = "array"}}, {"any", {}}, {"createdAt", {}}};
  json::Schema answer{.type = "object"};
  answer.members = {{"any", {}}, {"createdAt", {.type = "string", .read_only = true}}};
  return {.method = method,
          .path = std::move(path),
          .access = Access::scope("x:write"),
          .handler = {},
          .description = {
              .id = "doIt", .body = Body{.name = "Thing", .schema = body}, .answer = answer}};
}

bool audits(Method method, std::string path, Caller::Kind kind = Caller::Kind::key) {
  return is_audited(operation_at(method, std::move(path)), Caller{.kind = kind});
}

TEST(AuditTest, covers_management_jobs_erasures_and_commands) {
  EXPECT_TRUE(audits(Method::post, "/manage/keys/"));
  EXPECT_TRUE(audits(Method::put, "/manage/workflows/{id}/draft"));
  EXPECT_TRUE(audits(Method::post, "/imports/"));
  EXPECT_TRUE(audits(Method::delete_, "/exports/{id}"));
  EXPECT_TRUE(audits(Method::delete_, "/contacts/{email}"));
  EXPECT_TRUE(audits(Method::patch, "/products/{id}", Caller::Kind::command));
  EXPECT_FALSE(audits(Method::get, "/manage/keys/"));
  EXPECT_FALSE(audits(Method::get, "/manage/keys/", Caller::Kind::command));
  EXPECT_FALSE(audits(Method::patch, "/contacts/{email}"));
  EXPECT_FALSE(audits(Method::delete_, "/products/{id}"));
  EXPECT_FALSE(audits(Method::post, "/contact-fields/", Caller::Kind::import));
}

struct Sent {
  std::string path;
  Parameters parameters;
  Output output;
};

std::string object_of(Sent sent) {
  const Operation operation = operation_at(Method::post, std::move(sent.path));
  const Invocation invocation{.operation = &operation,
                              .path_parameters = std::move(sent.parameters)};
  return audit_row_of(Input{invocation}, sent.output).object;
}

TEST(AuditTest, names_the_object_by_its_id_and_never_by_an_address) {
  const std::string id = "0192f5c0-0000-7000-8000-000000000001";
  EXPECT_EQ(object_of({.path = "/manage/store"}), "store");
  EXPECT_EQ(object_of({.path = "/manage/webhooks/{id}/test", .parameters = {{"id", id}}}),
            "webhooks/" + id);
  EXPECT_EQ(object_of({.path = "/exports/type/data-explorer",
                       .output = {.location = "/shop/exports/" + id}}),
            "exports/" + id);
  EXPECT_EQ(object_of({.path = "/manage/templates/{id}",
                       .parameters = {{"id", "cart-reminder"}},
                       .output = {.object = Uuid::parse(id)}}),
            "templates/" + id);
  EXPECT_EQ(object_of({.path = "/contacts/email/{email}",
                       .parameters = {{"email", "eva@example.com"}},
                       .output = {.location = "/contacts/email/eva@example.com"}}),
            "contacts");
}

TEST(AuditTest, records_names_of_known_writable_members_only) {
  const Operation operation = operation_at(Method::post, "/manage/keys/");
  const Invocation invocation{
      .operation = &operation,
      .caller = {.kind = Caller::Kind::command, .account = 7},
      .body = json::Document::parse_body(
          R"({"scopes":["a"],"createdAt":"now","eva@example.com":1,"name":"Eva","any":1})")};
  const AuditRow row = audit_row_of(Input{invocation}, {});
  EXPECT_EQ(row.members, (std::vector<std::string>{"scopes", "name", "any"}));
  EXPECT_EQ(row.account, 7);
  EXPECT_EQ(row.operation, "doIt");
  EXPECT_FALSE(row.actor_id);
  EXPECT_FALSE(row.address);
}

}  // namespace
}  // namespace shopbell::operations
