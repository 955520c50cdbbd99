#include "resources/audit/audit_operations.h"

#include "operations/page.h"
#include "operations/resource_operations.h"
#include "resources/audit/audit_json.h"
#include "resources/audit/audit_store.h"

namespace shopbell::audit {

namespace {

boost::asio::awaitable<operations::Output> list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  const auto text = [&](std::string_view name) {
    return input.parameter(name).transform(
        [](std::string_view value) { return std::string{value}; });
  };
  const auto instant = [&](std::string_view name) {
    return input.parameter(name).and_then(
        [](std::string_view value) { return parse_rfc3339(value); });
  };
  const auto after = request.after.and_then([](const std::string& id) { return Uuid::parse(id); });
  const auto entries = co_await list_entries(
      input.database(), input.scope(),
      {.account = input.account(),
       .actor = text("actor"),
       .operation = text("operation"),
       .object = text("object"),
       .created_after = instant("createdAfter"),
       .created_before = instant("createdBefore"),
       .after = after,
       .ascending = request.ascending,
       .limit = request.limit + 1});  // one extra row shows whether another page follows
  co_return operations::page_output<AuditEntry>(
      input, request, audit_entry_json(), entries,
      [](const AuditEntry& entry) { return entry.id.to_string(); });
}

std::vector<operations::QueryParameter> list_filters() {
  const json::Schema name{.type = "string", .length_min = 1, .length_max = 255};
  const json::Schema time{.type = "string", .format = "date-time"};
  return {{"actor", "Only changes by this kind of actor, or by the key with this id.", name},
          {"operation", "Only changes by the operation with this id, such as `createKey`.", name},
          {"object",
           "Only changes of this object, such as `keys/…` with an id, or of this kind, such as "
           "`keys`.",
           name},
          {"createdAfter", "Only changes after this time.", time},
          {"createdBefore", "Only changes before this time.", time}};
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  const operations::ResourceOperations entry{
      .tag = "Audit",
      .tag_description = "Who changed what in the account, when and from where.",
      .answer_name = audit_entry_json().name(),
      .page_item = audit_entry_json().answer_schema()};  // only the list uses this schema
  return {{operations::Method::get, "/manage/audit/",
           operations::Access::scope("manage-audit:read"), list,
           entry.list("listAudit", "List the audit trail",
                      "Newest first. Has every change under `/manage/`, every import, export and "
                      "erasure, and every change by the operator's command line. Entries are kept "
                      "for 400 days.",
                      list_filters())}};
}

}  // namespace shopbell::audit
