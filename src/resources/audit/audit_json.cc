#include "resources/audit/audit_json.h"

namespace shopbell::audit {

const json::Table<AuditEntry>& audit_entry_json() {
  static const json::Table<AuditEntry> table{
      "AuditEntry",
      "One change: who made it, when and from where.",
      {json::uuid("id", &AuditEntry::id), json::instant("createdAt", &AuditEntry::at).read_only(),
       json::text("actor", &AuditEntry::actor)
           .doc("What kind of caller made the change: `key` is an API key, `command` is the "
                "operator's command line.")
           .read_only()
           .example(R"("key")"),
       json::text("actorId", &AuditEntry::actor_id)
           .doc("The id of the API key; null for other actors.")
           .read_only()
           .format("uuid"),
       json::text("operation", &AuditEntry::operation)
           .doc("The id of the operation, as in this reference.")
           .read_only()
           .example(R"("createKey")"),
       json::text("object", &AuditEntry::object)
           .doc("The kind and the id of the changed object.")
           .read_only()
           .example(R"("keys/0192f5c0-0000-7000-8000-000000000001")"),
       json::texts("members", &AuditEntry::members)
           .doc("The names of the members that the request sent, without their values.")
           .read_only()
           .example(R"(["name","scopes"])"),
       json::text("requestId", &AuditEntry::request_id)
           .doc("The X-Request-Id of the request.")
           .read_only(),
       json::text("address", &AuditEntry::address)
           .doc("The IP address of the client; null for commands.")
           .read_only()
           .example(R"("192.0.2.7")")}};
  return table;
}

}  // namespace shopbell::audit
