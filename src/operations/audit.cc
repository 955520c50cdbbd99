#include "operations/audit.h"

#include <algorithm>

#include "operations/queries.h"

namespace shopbell::operations {

namespace {

// Returns the kind of the object in a path: "keys" for "/manage/keys/{id}".
std::string_view object_kind(std::string_view path) {
  constexpr std::string_view kManage = "/manage/";
  path.remove_prefix(path.starts_with(kManage) ? kManage.size() : 1);
  return path.substr(0, path.find('/'));
}

// The object's id: as the operation names it, from the path, or from the location of a new object.
// Paths and locations of contacts have an e-mail address or an external id instead, which must not
// be recorded.
std::string object_id(const Input& input, const Output& output) {
  if (output.object) return output.object->to_string();
  for (const auto& [name, value] : input.path_parameters()) {
    if (name == "id") return value;
  }
  const std::string_view last =
      std::string_view{output.location}.substr(output.location.rfind('/') + 1);
  return Uuid::parse(last) ? std::string{last} : std::string{};
}

std::string object_of(const Input& input, const Output& output) {
  std::string object{object_kind(input.operation().path)};
  if (const std::string id = object_id(input, output); !id.empty()) object += '/' + id;
  return object;
}

const json::Schema* find_member(const json::Schema& object, std::string_view name) {
  for (const auto* members : {&object.members, &object.optional_members}) {
    const auto found = std::ranges::find(*members, name, &json::SchemaMember::name);
    if (found != members->end()) return &found->schema;
  }
  return nullptr;
}

// False for unknown members, and for read-only ones, which the body's schema lists without a type.
bool is_writable(const Description& operation, std::string_view name) {
  const json::Schema* sent = find_member(operation.body->schema, name);
  if (sent == nullptr || !sent->type.empty()) return sent != nullptr;
  const json::Schema* shown = find_member(operation.answer, name);
  return shown == nullptr || !shown->read_only;
}

// A lenient request may send unknown members, whose names can be anything: they are left out.
std::vector<std::string> sent_members(const Input& input) {
  std::vector<std::string> names;
  const Description& operation = input.operation().description;
  if (!operation.body || !input.has_body() || input.body().type() != json::Type::object)
    return names;
  input.body().for_each([&](std::string_view name, const json::Value&) {
    if (is_writable(operation, name)) names.emplace_back(name);
  });
  return names;
}

}  // namespace

bool is_audited(const Operation& operation, const Caller& caller) {
  if (operation.method == Method::get || operation.method == Method::head) return false;
  if (caller.kind == Caller::Kind::command) return true;
  const std::string_view path = operation.path;
  return path.starts_with("/manage/") || path.starts_with("/imports/") ||
         path.starts_with("/exports/") ||
         (path.starts_with("/contacts/") && operation.method == Method::delete_);
}

AuditRow audit_row_of(const Input& input, const Output& output) {
  AuditRow row{.account = input.account(),
               .actor = input.caller().kind,
               .actor_id = input.caller().key(),
               .operation = input.operation().description.id,
               .object = object_of(input, output),
               .members = sent_members(input),
               .request_id = input.request_id()};
  if (!input.client_address().empty()) row.address = input.client_address();
  return row;
}

void add_audit_row(pg::Group& effect, const AuditRow& row, Instant now) {
  effect.add(sql::insert_audit, row.account, Uuid::v7(now), now, name_of(row.actor), row.actor_id,
             row.operation, row.object, row.members, row.request_id, row.address);
}

}  // namespace shopbell::operations
