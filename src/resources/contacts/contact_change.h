// Decides a change of a contact: its state after a patch, its events, and the other rows to write.
// Nothing here queries the database: a write reads, decides here, and writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/event.h"
#include "json/fields.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/consent.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/marks.h"

namespace shopbell::contacts {

// The inputs of a decision besides the contact and the patch.
struct Knowledge {
  std::int64_t account = 0;
  Instant now;
  std::optional<Instant> decided_at = std::nullopt;  // upload time of an import file; default: now
  const contact_fields::FieldSet* fields = nullptr;
  std::string store_country;                        // default country of phone numbers
  std::optional<std::string> phone = std::nullopt;  // sent number as E.164, if already parsed
  std::string store_currency;
  Marks marks;
  AddressHasher hasher;
  events::Trigger trigger = events::Trigger::all;
  std::int16_t hops = 0;  // length of the chain of events that caused the change
};

enum class Applied {
  all,
  consent,  // the write was outdated; only its consent was applied
  nothing,  // the write was outdated and changed nothing
};

struct Change {
  Contact before;
  Contact after;
  std::vector<Contact> merged;  // contacts to merge into `after`
  ConsentOutcome consent;
  std::vector<events::Event> events;
  Applied applied = Applied::all;
  bool is_write = false;  // false if the database needs no write
};

// Applies a patch to a contact, after merging the contacts in `merged` into it.
Change decide_change(json::Reading& reading, const Contact& before,
                     const std::vector<Contact>& merged, const json::Changes<Contact>& patch,
                     const Knowledge& known);

// Returns a Change that keeps the contact as it is, so that a write can add something else to it.
Change unchanged(const Contact& contact);

// Adds an event that is not about the contact's own members, such as a purchase. It is numbered
// after the change's own events, and the contact's row is written in any case.
void add_event(Change& change, const Knowledge& known, events::Event event);

// Merges `other` into `before`, without a patch.
Change decide_merge(const Contact& before, const Contact& other, const Knowledge& known);

// Returns the events of a contact's erasure.
std::vector<events::Event> erasure_events(const Contact& contact, const Knowledge& known);

}  // namespace shopbell::contacts
