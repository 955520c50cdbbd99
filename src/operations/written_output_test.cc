#include "operations/written_output.h"

#include <format>

#include <gtest/gtest.h>

#include "operations/resource_operations.h"

namespace shopbell::operations {
namespace {

using Names = std::vector<std::string>;

struct Chime {
  std::string name;
  std::int64_t uses = 0;
};

json::Table<Chime> chime_table(std::string name, bool with_secret) {
  std::vector<json::Field<Chime>> fields{json::text("id", &Chime::name).read_only(),
                                         json::text("name", &Chime::name),
                                         json::text("tone", &Chime::name).options({"c", "d"}),
                                         json::text("madeAt", &Chime::name).read_only(),
                                         json::text("price", &Chime::name),
                                         json::integer("uses", &Chime::uses)};
  if (with_secret) fields.push_back(json::text("secret", &Chime::name).read_only());
  return {std::move(name), "A chime.", std::move(fields)};
}

const json::Table<Chime>& chime_json() {
  static const json::Table<Chime> table = chime_table("Chime", false);
  return table;
}

const json::Table<Chime>& created_chime_json() {
  static const json::Table<Chime> table = chime_table("CreatedChime", true);
  return table;
}

std::vector<Operation> chime_operations() {
  const auto chime = ResourceOperations{.tag = "Chimes"}.with_answer(chime_json());
  const auto scope = [](std::string name) { return Access::scope("chimes:" + name); };
  std::vector<Operation> table{
      {Method::get,
       "/chimes/",
       Access::scope("manage-chimes:read"),
       {},
       chime.list("list", "", "")},
      {Method::get, "/chimes/{id}", scope("read"), {}, chime.get("get", "", "")},
      {Method::patch,
       "/chimes/{id}",
       scope("write"),
       {},
       chime.change("change", "", "", {.body = patch_body(chime_json(), "{}")})},
      {Method::post,
       "/chimes/",
       scope("write"),
       {},
       chime.with_answer(created_chime_json())
           .create("create", "", "", {.body = new_body(chime_json())})},
      {Method::delete_, "/chimes/{id}", scope("delete"), {}, chime.remove("remove", "", "")}};
  find_readers(table);
  return table;
}

// The body of an output, as a caller with these scopes sees it.
std::string seen(std::string_view id, Names scopes, std::string sent, Output output) {
  const std::vector<Operation> table = chime_operations();
  Invocation invocation{.operation = &find_operation(table, id),
                        .caller = {.kind = Caller::Kind::key, .scopes = std::move(scopes)}};
  invocation.body = json::Document::parse_body(sent);
  return visible_output(Input{invocation}, std::move(output)).body;
}

std::string changed(std::string sent, std::string body) {
  return seen("change", {"chimes:write"}, std::move(sent), Output::json(std::move(body)));
}

constexpr auto kChime =
    R"({"id":"1","name":"Bell","tone":"c","madeAt":"today","price":"5.00","uses":7})";

TEST(WrittenOutput, the_scopes_of_a_write_are_those_of_its_reads) {
  const auto table = chime_operations();
  const Names readers{"chimes:read", "manage-chimes:read"};
  EXPECT_EQ(find_operation(table, "change").description.read_scopes, readers);
  EXPECT_EQ(find_operation(table, "change").description.shown_once, Names{});
  EXPECT_EQ(find_operation(table, "create").description.read_scopes, readers);
  EXPECT_EQ(find_operation(table, "create").description.shown_once, Names{"secret"});
  for (const auto* id : {"list", "get", "remove"})
    EXPECT_EQ(find_operation(table, id).description.read_scopes, Names{}) << id;
}

TEST(WrittenOutput, a_reader_gets_all_of_it) {
  for (const auto* scope : {"chimes:read", "manage-chimes:read"})
    EXPECT_EQ(seen("change", {scope}, R"({"name":"Bell"})", Output::json(kChime)), kChime);
}

TEST(WrittenOutput, a_writer_gets_what_it_wrote) {
  EXPECT_EQ(changed(R"({"name":"Bell","price":5})", kChime),
            R"({"id":"1","name":"Bell","price":"5.00"})");
  EXPECT_EQ(seen("create", {"chimes:write"}, R"({"name":"Bell"})",
                 Output::json(R"({"id":"1","name":"Bell","tone":"c","secret":"s"})")),
            R"({"id":"1","name":"Bell","secret":"s"})");
}

TEST(WrittenOutput, named_members_that_were_not_written_stay_hidden) {
  // The request names a read-only member, a value that the service does not change, a number to
  // add, and null for a member that keeps its value.
  EXPECT_EQ(changed(R"({"madeAt":"","tone":"d","uses":{"add":1},"name":null})", kChime),
            R"({"id":"1"})");
  EXPECT_EQ(changed(R"({"uses":8})", kChime), R"({"id":"1"})");
  Output stale = Output::json(kChime);
  stale.applied.emplace_back("stale");
  EXPECT_EQ(seen("change", {"chimes:write"}, R"({"name":"?"})", stale), R"({"id":"1"})");
}

TEST(WrittenOutput, skipped_members_stay_hidden) {
  const auto warned = [](std::string_view pointer) {
    return std::format(R"({{"id":"1","name":"Bell","parts":{{"a":{{"x":1,"y":2}},"b":3}},)"
                       R"("list":[{{"x":1}}],"warnings":[{{"pointer":"{}"}}]}})",
                       pointer);
  };
  const std::string sent = R"({"name":"Bell","parts":{"a":{"x":1},"b":3},"list":[{"x":1}]})";
  EXPECT_EQ(changed(sent, warned("/name")),
            R"({"id":"1","parts":{"a":{"x":1},"b":3},"list":[{"x":1}],)"
            R"("warnings":[{"pointer":"/name"}]})");
  EXPECT_EQ(changed(sent, warned("/parts/a/x")),
            R"({"id":"1","name":"Bell","list":[{"x":1}],"warnings":[{"pointer":"/parts/a/x"}]})");
  EXPECT_EQ(changed(sent, warned("/list/0/x")),
            R"({"id":"1","name":"Bell","parts":{"a":{"x":1},"b":3},)"
            R"("warnings":[{"pointer":"/list/0/x"}]})");
}

TEST(WrittenOutput, a_list_is_shown_only_as_a_whole) {
  EXPECT_EQ(changed(R"({"list":["a","b"]})", R"({"id":"1","list":["a","b"]})"),
            R"({"id":"1","list":["a","b"]})");
  EXPECT_EQ(changed(R"({"list":["a"]})", R"({"id":"1","list":["a","b"]})"), R"({"id":"1"})");
  EXPECT_EQ(changed(R"({"list":[{"x":1}]})", R"({"id":"1","list":[{"x":2}]})"),
            R"({"id":"1","list":[{}]})");
}

}  // namespace
}  // namespace shopbell::operations
