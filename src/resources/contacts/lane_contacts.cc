#include "resources/contacts/lane_contacts.h"

#include <algorithm>

#include "base/identity.h"
#include "base/problem.h"
#include "json/document.h"
#include "pg/columns.h"
#include "resources/contacts/contact_batch.h"
#include "resources/contacts/contact_columns.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_store.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/queries.h"

namespace shopbell::contacts {

namespace {

Contact lane_contact_of(const pg::Row& row) {
  Contact contact;
  contact.id = row.uuid("contact_id");
  contact.version = row.integer("version");
  contact_row().read(row, contact);
  return contact;
}

pg::Columns columns_of(std::span<const AccountContact> keys) {
  pg::Columns columns;
  for (const auto& [account, contact] : keys) columns.add(account, contact);
  return columns;
}

}  // namespace

void read_lane_contacts(pg::Group& reads, std::span<const AccountContact> keys) {
  columns_of(keys).add_to(reads, sql::find_contacts_of_accounts);
}

std::vector<LaneContact> found_lane_contacts(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    LaneContact found{.key = {row.integer("of_account"), row.uuid("of_contact")},
                      .contact = {},
                      .merged_into = {}};
    if (row.find("contact_id")) {
      found.contact = lane_contact_of(row);
    } else if (row.find("merged_into")) {
      found.merged_into = row.uuid("merged_into");
    }
    return found;
  });
}

void lock_lane_contacts(pg::Group& locks, std::span<const AccountContact> keys) {
  columns_of(keys).add_to(locks, sql::lock_contacts_of_accounts);
}

std::vector<std::pair<AccountContact, Contact>> locked_lane_contacts(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    return std::pair{AccountContact{row.integer("account_id"), row.uuid("contact_id")},
                     lane_contact_of(row)};
  });
}

LaneChanges::LaneChanges(Knowledge known, std::vector<LaneChange> changes)
    : known_{std::move(known)} {
  for (auto& change : changes) {
    Sent& sent = sent_.emplace_back();
    sent.contact = std::move(change.contact);
    Contact wanted;
    try {
      const auto document = json::Document::parse_body(change.patch);
      sent.patch = contact_json().read_patch(document.root(), sent.reading);
      sent.patch.apply_to(wanted);
    } catch (const Problem&) {
      sent.is_refused = true;
      continue;
    }
    if (wanted.phone) sent.phone = to_e164(*wanted.phone, known_.store_country);
    const std::optional<std::string> addresses[] = {
        sent.contact.email_key, wanted.email ? email_key(*wanted.email) : std::nullopt};
    for (const auto& address : addresses)
      if (address) sent.hashes.push_back(known_.hasher.address(kEmail, *address));
    for (const auto& phone : {sent.contact.phone, sent.phone})
      if (phone) sent.hashes.push_back(known_.hasher.address(kSms, *phone));
    for (const auto& id : {sent.contact.external_id, wanted.external_id})
      if (id) sent.hashes.push_back(known_.hasher.external_id(*id));
  }
}

std::vector<Sha256> LaneChanges::all_hashes() const {
  std::vector<Sha256> all;
  for (const auto& sent : sent_) all.insert(all.end(), sent.hashes.begin(), sent.hashes.end());
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

void LaneChanges::read(pg::Group& reads) const { read_marks(reads, known_.account, all_hashes()); }

std::vector<Uuid> LaneChanges::write(const pg::Result& marks, pg::Group& effect) {
  known_.marks = Marks{all_hashes(), marks};
  std::vector<Contact> found;
  for (const auto& sent : sent_)
    if (std::ranges::find(found, sent.contact.id, &Contact::id) == found.end())
      found.push_back(sent.contact);
  ContactBatch batch{std::move(found), known_};
  std::vector<Uuid> refused;
  for (auto& sent : sent_) {
    if (!sent.is_refused) {
      try {
        const auto now = batch.named(sent.contact.email_key, sent.contact.external_id);
        if (!now.empty())
          batch.change(now.front(), sent.patch, sent.reading, sent.hashes, sent.phone);
        if (sent.reading.warnings().empty()) continue;
      } catch (const Problem&) {  // nothing of the patch is applied
      }
    }
    refused.push_back(sent.contact.id);
  }
  batch.write(effect);
  return refused;
}

engine::Data shown_contact(Contact contact, const contact_fields::FieldSet& fields) {
  show_fields(fields, contact);
  return engine::Data{contact_json().to_json(contact)};
}

}  // namespace shopbell::contacts
