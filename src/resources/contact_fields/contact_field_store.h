// Contact fields in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/contact_fields/contact_field.h"
#include "resources/contact_fields/field_set.h"

namespace shopbell::contact_fields {

// A field as read_field asks for it: created by the store, or built in.
void read_field(pg::Group& reads, std::int64_t account, const std::string& id);
std::optional<ContactField> found_field(const pg::Result& result, const std::string& id);

// The workflows that use it, as JSON; "[]": none.
void read_field_users(pg::Group& reads, std::int64_t account, const std::string& id);
std::string found_field_users(const pg::Result& result);

// How many fields the account has, of which how many indexed.
void read_counts(pg::Group& reads, std::int64_t account);
struct Counts {
  std::int64_t fields;
  std::int64_t indexed;
};
Counts found_counts(const pg::Result& result);

// What happens, each guarded: refused as overtaken when it no longer fits what was read.
void insert_field(pg::Group& effect, std::int64_t account, const ContactField& field);
void update_field(pg::Group& effect, std::int64_t account, const ContactField& field);
void delete_field(pg::Group& effect, std::int64_t account, const ContactField& field);

// All that the store added, and the version they are of.
boost::asio::awaitable<FieldSet> load_fields(pg::Pool& database, pg::Scope scope);

struct Listing {
  std::optional<std::int64_t> after;  // a field's number
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> type;
  std::optional<Instant> created_after;
  std::optional<Instant> created_before;
};

// The account's fields and the built-in ones, by number.
boost::asio::awaitable<std::vector<ContactField>> list_fields(pg::Pool& database, pg::Scope scope,
                                                              Listing listing);

}  // namespace shopbell::contact_fields
