#include "resources/exports/person.h"

#include "pg/snapshot.h"
#include "resources/exports/statements.h"

namespace shopbell::exports {

namespace {

// Returns an export of the type with the rows of this contact only.
Export of_type(const Export& person, std::string type) {
  Export request = person;
  request.type = std::move(type);
  return request;
}

Column consent() {
  return {"consent", "",
          pg::fill(sql::person_consent,
                   {{"at", text_of_time("k.at")}, {"received_at", text_of_time("k.received_at")}}),
          false};
}

Part contact(const Export& person, std::int64_t account, const std::vector<OwnField>& own) {
  const Export request = of_type(person, "contacts");
  std::vector<Column> columns = chosen_columns(request, own);
  columns.push_back(consent());
  return {"contact.json", statement_of(request, account, columns)};
}

Part all_of(const Export& person, std::int64_t account, const std::string& type) {
  const Export request = of_type(person, type);
  return {type + ".ndjson", statement_of(request, account, chosen_columns(request, {}))};
}

Part lines(const std::string& file, std::string_view name, const std::string& rows) {
  return {file, {.copy = lines_of(name, rows), .plain = ""}};
}

Part coupons(std::int64_t account, const std::string& id) {
  return lines("coupons.ndjson", "person_coupons",
               pg::fill(sql::person_coupons,
                        {{"at", text_of_time("g.at")}, {"account", account}, {"contact", id}}));
}

Part merged_contacts(std::int64_t account, const std::string& id) {
  return lines("merged-contacts.ndjson", "person_merged",
               pg::fill(sql::person_merged, {{"merged_at", text_of_time("m.merged_at")},
                                             {"account", account},
                                             {"contact", id}}));
}

Part runs(std::int64_t account, const std::string& id) {
  return lines("runs.ndjson", "person_runs",
               pg::fill(sql::person_runs, {{"started_at", text_of_time("r.started_at")},
                                           {"ended_at", text_of_time("r.ended_at")},
                                           {"account", account},
                                           {"contact", id}}));
}

Part messages(std::int64_t account, const std::string& id) {
  return lines("messages.ndjson", "person_messages",
               pg::fill(sql::person_messages, {{"planned_at", text_of_time("m.planned_at")},
                                               {"ended_at", text_of_time("m.ended_at")},
                                               {"account", account},
                                               {"contact", id}}));
}

}  // namespace

std::vector<Part> parts_of_person(const Export& request, std::int64_t account,
                                  const std::vector<OwnField>& own) {
  const std::string id = pg::Snapshot::quote(request.filters.contact->id.value_or(""));
  return {contact(request, account, own),
          all_of(request, account, "purchases"),
          all_of(request, account, "activities"),
          coupons(account, id),
          merged_contacts(account, id),
          runs(account, id),
          messages(account, id)};
}

}  // namespace shopbell::exports
