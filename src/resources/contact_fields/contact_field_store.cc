#include "resources/contact_fields/contact_field_store.h"

#include <algorithm>

#include "base/limits.h"
#include "resources/contact_fields/contact_field_json.h"
#include "resources/contact_fields/queries.h"

namespace shopbell::contact_fields {

namespace {

std::optional<json::Raw> maybe_raw(const pg::Row& row, const char* column) {
  return row.maybe_text(column).transform([](std::string text) { return json::Raw{text}; });
}

pg::Parameter parameter_of(const std::optional<json::Raw>& raw) {
  return raw.transform([](const json::Raw& value) { return value.json; });
}

ContactField field_of(const pg::Row& row) {
  return {.id = row.text("id"),
          .name = row.text("name"),
          .type = row.text("type"),
          .indexed = row.boolean("indexed"),
          .required = row.boolean("required"),
          .default_value = maybe_raw(row, "default_value"),
          .options = options_from_json(row.view("options")),
          .max_length = row.maybe_integer("max_length"),
          .min = maybe_raw(row, "min"),
          .max = maybe_raw(row, "max"),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .number = row.integer("number"),
          .version = row.integer("version")};
}

bool is_listed(const ContactField& field, const Listing& listing) {
  if (listing.type && field.type != *listing.type) return false;
  if (listing.created_after && field.created_at <= *listing.created_after) return false;
  if (listing.created_before && field.created_at >= *listing.created_before) return false;
  if (!listing.after) return true;
  return listing.ascending ? field.number > *listing.after : field.number < *listing.after;
}

}  // namespace

void read_field(pg::Group& reads, std::int64_t account, const std::string& id) {
  find_built_in(id) != nullptr ? reads.add(sql::get_account_birth, account)
                               : reads.add(sql::get_contact_field, account, id);
}

std::optional<ContactField> found_field(const pg::Result& result, const std::string& id) {
  const auto row = result.first();
  if (!row) return std::nullopt;
  const ContactField* built_in = find_built_in(id);
  if (built_in == nullptr) return field_of(*row);
  ContactField field = *built_in;
  field.created_at = field.updated_at = row->instant("created_at");
  return field;
}

void read_field_users(pg::Group& reads, std::int64_t account, const std::string& id) {
  reads.add(sql::find_field_users, account, id);
}

std::string found_field_users(const pg::Result& result) { return result[0].text("used_by"); }

void read_counts(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_contact_fields, account);
}

Counts found_counts(const pg::Result& result) {
  return {.fields = result[0].integer("fields"), .indexed = result[0].integer("indexed")};
}

void insert_field(pg::Group& effect, std::int64_t account, const ContactField& field) {
  effect.add(sql::draw_field_number, account);  // its row lock serializes concurrent creates
  effect.add(sql::require_room_for_field, account, limits::kContactFields,
             limits::kIndexedContactFields, field.indexed);
  effect.add(sql::insert_contact_field, account, field.id, field.name, field.type, field.indexed,
             field.required, parameter_of(field.default_value), options_to_json(field.options),
             field.max_length, parameter_of(field.min), parameter_of(field.max), field.created_at);
}

void update_field(pg::Group& effect, std::int64_t account, const ContactField& field) {
  effect.add(sql::count_field_change, account);
  effect.add(sql::update_contact_field, account, field.id, field.version, field.name,
             options_to_json(field.options), field.max_length, parameter_of(field.min),
             parameter_of(field.max), field.updated_at);
}

void delete_field(pg::Group& effect, std::int64_t account, const ContactField& field) {
  effect.add(sql::count_field_change, account);
  effect.add(sql::delete_contact_field, account, field.id, field.version);
}

boost::asio::awaitable<FieldSet> load_fields(pg::Pool& database, pg::Scope scope) {
  const std::int64_t account = *scope.account;
  pg::Group reads;
  // Reads the version before the fields. If a field changes in between, the set has a stale version
  // and is reloaded.
  reads.add(sql::get_fields_version, account);
  reads.add(sql::list_oldest_fields, account, std::nullopt, std::nullopt, std::nullopt,
            std::nullopt, limits::kContactFields);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  std::vector<ContactField> fields = found[1].map(field_of);
  co_return FieldSet{found[0][0].integer("fields_version"), std::move(fields)};
}

boost::asio::awaitable<std::vector<ContactField>> list_fields(pg::Pool& database, pg::Scope scope,
                                                              Listing listing) {
  const std::int64_t account = *scope.account;
  pg::Group reads;
  reads.add(sql::get_account_birth, account);
  reads.add(listing.ascending ? sql::list_oldest_fields : sql::list_newest_fields, account,
            listing.after, listing.type, listing.created_after, listing.created_before,
            listing.limit);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  std::vector<ContactField> fields = found[1].map(field_of);
  for (const auto& field : built_in_fields(found[0][0].instant("created_at"))) {
    if (is_listed(field, listing)) fields.push_back(field);
  }
  listing.ascending ? std::ranges::sort(fields, std::less{}, &ContactField::number)
                    : std::ranges::sort(fields, std::greater{}, &ContactField::number);
  if (std::ssize(fields) > listing.limit) fields.resize(static_cast<std::size_t>(listing.limit));
  co_return fields;
}

}  // namespace shopbell::contact_fields
