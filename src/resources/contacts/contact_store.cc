#include "resources/contacts/contact_store.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/document.h"
#include "pg/columns.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/queries.h"
#include "resources/coupons/coupon_store.h"

namespace shopbell::contacts {

namespace {

Contact contact_of(const pg::Row& row) {
  Contact contact;
  contact.id = row.uuid("contact_id");
  contact.lane = static_cast<std::int16_t>(row.integer("lane"));
  contact.email = row.maybe_text("email");
  contact.email_key = row.maybe_text("email_key");
  contact.external_id = row.maybe_text("external_id");
  contact.first_name = row.maybe_text("first_name");
  contact.last_name = row.maybe_text("last_name");
  contact.company = row.maybe_text("company");
  contact.birth_date = row.maybe_text("birth_date");
  contact.phone = row.maybe_text("phone");
  contact.locale = row.maybe_text("locale");
  contact.time_zone = row.maybe_text("time_zone");
  contact.country = row.maybe_text("country");
  contact.postal_code = row.maybe_text("postal_code");
  contact.currency = row.maybe_text("currency");
  contact.tags = row.texts("tags");
  contact.points = row.integer("points");
  contact.values = values_from_json(row.view("fields"));
  contact.email_subscription = row.text("email_subscription");
  contact.email_subscription_at = row.maybe_instant("email_subscription_at");
  contact.sms_subscription = row.text("sms_subscription");
  contact.sms_subscription_at = row.maybe_instant("sms_subscription_at");
  contact.email_status = row.text("email_status");
  contact.phone_status = row.text("phone_status");
  contact.source_updated_at = row.maybe_instant("source_updated_at");
  contact.event_seq = row.integer("event_seq");
  contact.version = row.integer("version");
  contact.created_at = row.instant("created_at");
  contact.updated_at = row.instant("updated_at");
  contact.purchases = totals_from_json(row.view("purchases"));
  if (const auto history = row.find("consent")) contact.consent = consent_from_json(*history);
  return contact;
}

Found found_of(const pg::Row& row) {
  return {contact_of(row), row.maybe_integer("fields_version").value_or(0)};
}

// The beginning of a name as a search compares it; short enough for an index.
std::optional<std::string> name_key(const std::optional<std::string>& first,
                                    const std::optional<std::string>& second) {
  std::string key = search_key(first.value_or("") + " " + second.value_or(""));
  if (key.empty()) return std::nullopt;
  return beginning_of(std::move(key), limits::kSearchKeyBytes);
}

// The same columns for a new row and for a changed one, for one and for many.
template <class Add>
void add_row(const Contact& contact, std::int64_t version_before, Add add) {
  add(contact.id, version_before, contact.lane, contact.email, contact.email_key,
      contact.external_id, contact.first_name, contact.last_name,
      name_key(contact.first_name, contact.last_name),
      contact.last_name ? name_key(contact.last_name, contact.first_name) : std::nullopt,
      contact.company, contact.birth_date, contact.phone, contact.locale, contact.time_zone,
      contact.country, contact.postal_code, contact.currency, contact.tags, contact.points,
      values_to_json(contact), contact.email_subscription, contact.email_subscription_at,
      contact.sms_subscription, contact.sms_subscription_at, contact.email_status,
      contact.phone_status, !contact.consent.empty(), contact.source_updated_at, contact.event_seq,
      contact.created_at, contact.updated_at, totals_to_json(contact.purchases));
}

using Facets = std::set<std::pair<std::int64_t, std::string>>;

void add_value(Facets& facets, std::int64_t number, const json::Raw& raw) {
  const auto document = json::Document::parse(raw.json);
  const json::Value value = document->root();
  if (value.type() == json::Type::list) {  // of choices, each
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

// What was another contact is now a name of this one.
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
  std::vector<Uuid> ids;
  ids.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) ids.push_back(found[i].uuid("contact_id"));
  co_return ids;
}

void read_contacts(pg::Group& reads, std::int64_t account, const Keys& keys) {
  reads.add(sql::find_contacts, account, keys.emails, keys.external_ids);
}

void read_contact(pg::Group& reads, std::int64_t account, const Uuid& id) {
  reads.add(sql::get_contact, account, id);
}

std::vector<Contact> found_contacts(const pg::Result& result) {
  std::vector<Contact> contacts;
  contacts.reserve(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) contacts.push_back(contact_of(result[i]));
  return contacts;
}

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

// Whether suppressions and erasures had a say: not in a change of a contact that keeps its
// addresses and what the person chose about them.
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
  // The others go first: this one may take their addresses.
  for (const auto& other : change.merged) absorb(effect, account, other, after);
  add_row(after, change.before.version, [&](const auto&... values) {
    effect.add(change.before.exists() ? sql::update_contact : sql::insert_contact, account,
               values...);
  });
  // After the row, whose unique addresses let one writer at a time pass.
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
    add_row(after, change.before.version, [&](const auto&... values) { rows.add(values...); });
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
  // Changed ones first: a new one may have an address that one of them had.
  updated.add_to(effect, sql::update_contacts, account);
  inserted.add_to(effect, sql::insert_contacts, account);
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
  // The filter that is likely to leave the fewest leads; the others are checked on what it finds.
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
  std::vector<Found> contacts;
  contacts.reserve(found[0].size());
  for (std::size_t i = 0; i < found[0].size(); ++i) contacts.push_back(found_of(found[0][i]));
  co_return contacts;
}

std::string facet_value(std::string_view text) {
  if (text.size() <= limits::kFacetBytes) return std::string{text};
  return "sha256:" + to_hex(sha256(text));
}

}  // namespace shopbell::contacts
