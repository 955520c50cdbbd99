#include "resources/exports/export_store.h"

#include "base/identity.h"
#include "resources/exports/queries.h"

namespace shopbell::exports {

void read_contact(pg::Group& reads, std::int64_t account, const std::optional<ContactName>& name) {
  const ContactName named = name.value_or(ContactName{});
  reads.add(sql::find_filtered_contact, account,
            named.email.and_then([](const std::string& email) { return email_key(email); }),
            named.external_id, named.id);
}

std::optional<std::string> found_contact(const pg::Result& result) {
  return result.first().transform([](const pg::Row& row) { return row.text("contact_id"); });
}

void read_own_fields(pg::Group& reads, std::int64_t account, const std::vector<std::string>& ids) {
  reads.add(sql::find_own_fields, account, ids);
}

std::vector<std::string> found_own_fields(const pg::Result& result) {
  return result.map([](const pg::Row& row) { return row.text("id"); });
}

void read_time_zone(pg::Group& reads, std::int64_t account) {
  reads.add(sql::get_time_zone, account);
}

std::string found_time_zone(const pg::Result& result) { return result[0].text("time_zone"); }

void read_incarnation(pg::Group& reads) { reads.add(sql::get_moment); }

std::string found_incarnation(const pg::Result& result) { return result[0].text("incarnation"); }

}  // namespace shopbell::exports
