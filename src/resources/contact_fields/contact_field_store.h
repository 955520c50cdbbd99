// Database access for contact fields. Only this file uses their queries.
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

// Reads a field by its id, whether it is built in or the store's own.
void read_field(pg::Group& reads, std::int64_t account, const std::string& id);
std::optional<ContactField> found_field(const pg::Result& result, const std::string& id);

// Reads the workflows that use the field, as JSON; "[]" when there are none.
void read_field_users(pg::Group& reads, std::int64_t account, const std::string& id);
std::string found_field_users(const pg::Result& result);

// Counts the account's fields, and the indexed ones among them.
void read_counts(pg::Group& reads, std::int64_t account);
struct Counts {
  std::int64_t fields;
  std::int64_t indexed;
};
Counts found_counts(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void insert_field(pg::Group& effect, std::int64_t account, const ContactField& field);
void update_field(pg::Group& effect, std::int64_t account, const ContactField& field);
void delete_field(pg::Group& effect, std::int64_t account, const ContactField& field);

// Loads all fields the store added, with their version.
boost::asio::awaitable<FieldSet> load_fields(pg::Pool& database, pg::Scope scope);

struct Listing {
  std::optional<std::int64_t> after;  // cursor: the number of the last field of the previous page
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> type;
  std::optional<Instant> created_after;
  std::optional<Instant> created_before;
};

// Lists the account's own fields and the built-in ones, by number.
boost::asio::awaitable<std::vector<ContactField>> list_fields(pg::Pool& database, pg::Scope scope,
                                                              Listing listing);

}  // namespace shopbell::contact_fields
