#include "resources/contacts/contact_store.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/document.h"
#include "pg/columns.h"
#include "resources/contacts/contact_columns.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/queries.h"
#include "resources/coupons/coupon_store.h"

namespace shopbell::contacts {

namespace {

Contact contact_of(const pg::Row& row) {
  Contact contact;
  contact.id = row.uuid("contact_id");
  contact.version = row.integer("version");
  contact_row().read(row, contact);
  if (const auto history = row.find("consent")) contact.consent = consent_from_json(*history);
  return contact;
}

Found found_of(const pg::Row& row) {
  return {contact_of(row), row.maybe_integer("fields_version").value_or(0)};
}

// Returns the parameters that write a contact: its id, the version that was read, and the columns.
std::vector<pg::Parameter> row_of(const Contact& contact, std::int64_t version_before) {
  std::vector<pg::Parameter> values{pg::parameter(contact.id), pg::parameter(version_before)};
  contact_row().add_to(values, contact);
  return values;
}

// The statements that write contacts.
struct Writes {
  pg::FilledQuery insert_one{sql::insert_contact, contact_row()};
  pg::FilledQuery update_one{sql::update_contact, contact_row()};
  pg::FilledQuery insert_many{sql::insert_contacts, contact_row()};
  pg::FilledQuery update_many{sql::update_contacts, contact_row()};
};
const Writes& writes() {
  static const Writes queries;
  return queries;
}

using Facets = std::set<std::pair<std::int64_t, std::string>>;

void add_value(Facets& facets, std::int64_t number, const json::Raw& raw) {
  const auto document = json::Document::parse(raw.json);
  const json::Value value = document->root();
  if (value.type() == json::Type::list) {  // a `choices` value: one facet per choice
    value.for_each([&](std::string_view, const json::Value& choice) {
      facets.emplace(number, facet_value(choice.text()));
    });
  } else {
    facets.emplace(number, facet_value(value.type() == json::Type::text ? value.text() : raw.json));
  }
}

Facets facets_of(const Contact& contact, const contact_fields::FieldSet& fields) {
  Facets facets;
  if (!contact.exists()) return facets;
  for (const auto& tag : contact.tags) facets.emplace(kTagFacet, facet_value(tag));
  facets.emplace(kSubscriptionFacet, contact.email_subscription);
  for (const auto& [number, value] : contact.values) {
    const auto* field = fields.find(number);
    if (field != nullptr && field->indexed) add_value(facets, number, value);
  }
  return facets;
}

void change_facets(pg::Group& effect, const pg::Query& query, std::int64_t account, const Uuid& id,
                   const Facets& facets, const Facets& others) {
  std::vector<std::string> kinds;
  std::vector<std::string> values;
  for (const auto& facet : facets) {
    if (others.contains(facet)) continue;
    kinds.push_back(std::to_string(facet.first));
    values.push_back(facet.second);
  }
  if (!kinds.empty()) effect.add(query, account, id, kinds, values);
}

void add_suppressions(pg::Group& effect, std::int64_t account,
                      const std::vector<Suppression>& suppressions) {
  for (const auto& [channel, address, reason, at] : suppressions)
    effect.add(sql::insert_suppression, account, channel, std::span<const std::uint8_t>{address},
               reason, at);
}

// Moves the rows of a merged contact to `into`. The id of `other` stays as an alias.
void absorb(pg::Group& effect, std::int64_t account, const Contact& other, const Contact& into) {
  effect.add(sql::move_consent, account, other.id, into.id);
  effect.add(sql::move_merged, account, other.id, into.id);
  if (!other.purchases.empty())
    effect.add(sql::move_purchases, account, other.id, into.id, into.lane);
  coupons::move_coupons(effect, account, other.id, into.id);
  effect.add(sql::delete_contact, account, other.id, other.version);
  effect.add(sql::insert_merged, account, other.id, other.lane, into.id);
}

}  // namespace

boost::asio::awaitable<std::optional<Found>> find_contact(pg::Pool& database, pg::Scope scope,
                                                          Key key) {
  const pg::Query& query = key.kind == Key::Kind::email         ? sql::get_contact_by_email
                           : key.kind == Key::Kind::external_id ? sql::get_contact_by_external_id
                                                                : sql::get_contact;
  const pg::Result result = co_await database.query(scope, query, *scope.account, key.value);
  const auto row = result.first();
  if (!row) co_return std::nullopt;
  co_return found_of(*row);
}

boost::asio::awaitable<std::vector<Uuid>> find_person(pg::Pool& database, pg::Scope scope,
                                                      Uuid id) {
  const pg::Result found = co_await database.query(scope, sql::get_person, *scope.account, id);
  co_return found.map([](const pg::Row& row) { return row.uuid("contact_id"); });
}

void read_contacts(pg::Group& reads, std::int64_t account, const Keys& keys) {
  reads.add(sql::find_contacts, account, keys.emails, keys.external_ids);
}

void read_contact(pg::Group& reads, std::int64_t account, const Uuid& id) {
  reads.add(sql::get_contact, account, id);
}

std::vector<Contact> found_contacts(const pg::Result& result) { return result.map(contact_of); }

void lock_contacts(pg::Group& locks, std::int64_t account, const Keys& keys) {
  locks.add(sql::lock_contacts, account, keys.emails, keys.external_ids, keys.ids);
}

void read_marks(pg::Group& reads, std::int64_t account, const std::vector<Sha256>& hashes) {
  reads.add(sql::find_marks, account, hashes);
}

void read_knowledge(pg::Group& reads, std::int64_t account) {
  reads.add(sql::get_knowledge, account);
}

StoreKnowledge found_knowledge(const pg::Result& result) {
  return {result[0].instant("now"), result[0].maybe_text("country").value_or(""),
          result[0].maybe_integer("fields_version").value_or(0), result[0].text("currency")};
}

namespace {

// True if suppressions and erasures may affect the change. A change that keeps all addresses and
// subscriptions does not depend on them.
bool is_about_addresses(const Change& change) {
  if (!change.before.exists() || !change.merged.empty() || !change.consent.recorded.empty())
    return true;
  return std::ranges::any_of(kChannels, [&](const Channel& channel) {
    return change.before.*channel.address != change.after.*channel.address ||
           change.before.*channel.subscription != change.after.*channel.subscription;
  });
}

}  // namespace

void write_change(pg::Group& effect, const Change& change, const Knowledge& known) {
  const Contact& after = change.after;
  const std::int64_t account = known.account;
  if (!change.merged.empty())
    effect.add(sql::require_contact, account, after.id, change.before.version);
  // Deletes merged contacts first: this contact may take their addresses, which are unique.
  for (const auto& other : change.merged) absorb(effect, account, other, after);
  std::vector<pg::Parameter> values = row_of(after, change.before.version);
  values.insert(values.begin(), pg::parameter(account));
  const pg::FilledQuery& statement =
      change.before.exists() ? writes().update_one : writes().insert_one;
  effect.add_prepared(statement.query(), std::move(values));
  // Check marks after writing the row: its unique addresses serialize concurrent writers.
  if (!known.marks.hashes().empty() && is_about_addresses(change))
    effect.add(sql::require_marks, account, known.marks.hashes(), known.marks.count());
  const Facets old_facets = facets_of(change.before, *known.fields);
  const Facets new_facets = facets_of(after, *known.fields);
  change_facets(effect, sql::delete_facets, account, after.id, old_facets, new_facets);
  change_facets(effect, sql::insert_facets, account, after.id, new_facets, old_facets);
  for (const auto& entry : change.consent.recorded)
    effect.add(sql::insert_consent, account, after.id, entry.channel, entry.status, entry.at,
               entry.source, entry.ip, entry.user_agent, entry.wording, entry.method);
  add_suppressions(effect, account, change.consent.displaced);
  for (const auto& lifted : change.consent.lifted)
    effect.add(sql::lift_suppression, account, lifted.channel,
               std::span<const std::uint8_t>{lifted.address});
  for (const auto& event : change.events) events::append(effect, account, event);
}

void write_changes(pg::Group& effect, std::span<Change* const> changes,
                   const SuppressionChanges& suppressions, const Knowledge& known) {
  pg::Columns updated;
  pg::Columns inserted;
  pg::Columns facets_gone;
  pg::Columns facets_new;
  pg::Columns consents;
  std::vector<events::Event> events;
  for (Change* one : changes) {
    Change& change = *one;
    const Contact& after = change.after;
    pg::Columns& rows = change.before.exists() ? updated : inserted;
    rows.add_row(row_of(after, change.before.version));
    const Facets old_facets = facets_of(change.before, *known.fields);
    const Facets new_facets = facets_of(after, *known.fields);
    for (const auto& [kind, value] : old_facets)
      if (!new_facets.contains({kind, value})) facets_gone.add(after.id, kind, value);
    for (const auto& [kind, value] : new_facets)
      if (!old_facets.contains({kind, value})) facets_new.add(after.id, kind, value);
    for (const auto& entry : change.consent.recorded)
      consents.add(after.id, entry.channel, entry.status, entry.at, entry.source, entry.ip,
                   entry.user_agent, entry.wording, entry.method);
    std::ranges::move(change.events, std::back_inserter(events));
  }
  const std::int64_t account = known.account;
  // Updates before inserts: a new contact may take an address that an updated one gave up.
  updated.add_to(effect, writes().update_many.query(), account);
  inserted.add_to(effect, writes().insert_many.query(), account);
  if (std::ranges::any_of(changes,
                          [](const Change* change) { return is_about_addresses(*change); }))
    effect.add(sql::require_marks, account, known.marks.hashes(), known.marks.count());
  facets_gone.add_to(effect, sql::delete_facets_of_contacts, account);
  facets_new.add_to(effect, sql::insert_facets_of_contacts, account);
  consents.add_to(effect, sql::insert_consents, account);
  pg::Columns set;
  for (const auto& [channel, address, reason, at] : suppressions.set)
    set.add(channel, std::span<const std::uint8_t>{address}, reason, at);
  set.add_to(effect, sql::insert_suppressions, account);
  pg::Columns lifted;
  for (const auto& suppression : suppressions.lifted)
    lifted.add(suppression.channel, std::span<const std::uint8_t>{suppression.address});
  lifted.add_to(effect, sql::lift_suppressions, account);
  events::append(effect, account, events);
}

void erase(pg::Group& effect, const Contact& contact, const Knowledge& known) {
  const std::int64_t account = known.account;
  effect.add(sql::forget_events, account, contact.id, limits::kEventsForgotten);
  effect.add(sql::delete_contact, account, contact.id, contact.version);
  add_suppressions(effect, account, suppressions_of(contact, known.hasher));
  for (const auto& hash : known.hasher.identifiers(contact))
    effect.add(sql::insert_erasure, account, std::span<const std::uint8_t>{hash});
  for (const auto& event : erasure_events(contact, known)) events::append(effect, account, event);
}

boost::asio::awaitable<std::vector<Found>> list_contacts(pg::Pool& database, pg::Scope scope,
                                                         Listing listing) {
  // The last filter is likely the most selective, so it drives the scan. Each row found is then
  // checked against the other filters.
  const bool leads = !listing.prefix && !listing.facets.empty() && !listing.facets.back().or_absent;
  Facet leading;
  if (leads) {
    leading = std::move(listing.facets.back());
    listing.facets.pop_back();
  }
  std::vector<std::string> kinds;
  std::vector<std::string> values;
  std::vector<std::string> absent;
  for (const auto& facet : listing.facets) {
    kinds.push_back(std::to_string(facet.kind));
    values.push_back(facet.value);
    absent.emplace_back(facet.or_absent ? "t" : "f");
  }
  const std::int64_t account = *scope.account;
  pg::Group reads;
  if (listing.prefix) {
    reads.add(sql::search_contacts, account, listing.after, listing.updated_after, kinds, values,
              absent, listing.limit, listing.ascending, *listing.prefix,
              *listing.prefix + "\U0010FFFF");
  } else if (leads) {
    reads.add(
        listing.ascending ? sql::list_oldest_contacts_of_facet : sql::list_newest_contacts_of_facet,
        account, listing.after, listing.updated_after, kinds, values, absent, listing.limit,
        leading.kind, leading.value);
  } else if (listing.updated_after) {
    reads.add(sql::list_updated_contacts, account, listing.after, listing.updated_after, kinds,
              values, absent, listing.limit, listing.ascending);
  } else {
    reads.add(listing.ascending ? sql::list_oldest_contacts : sql::list_newest_contacts, account,
              listing.after, listing.updated_after, kinds, values, absent, listing.limit);
  }
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return found[0].map(found_of);
}

std::string facet_value(std::string_view text) {
  if (text.size() <= limits::kFacetBytes) return std::string{text};
  return "sha256:" + to_hex(sha256(text));
}

}  // namespace shopbell::contacts
