// A change of a contact, decided: what it is after a patch, which events tell of it, what else has
// to be written. Nothing here asks the database; a write reads, decides here, and writes.
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

// What has to be known to decide.
struct Knowledge {
  std::int64_t account = 0;
  Instant now;
  std::optional<Instant> decided_at = std::nullopt;  // of a file: when it came; of a request: now
  const contact_fields::FieldSet* fields = nullptr;
  std::string store_country;                        // for national phone numbers
  std::optional<std::string> phone = std::nullopt;  // the one sent, as E.164, when that is known
  std::string store_currency;
  Marks marks;
  AddressHasher hasher;
  events::Trigger trigger = events::Trigger::all;
};

enum class Applied {
  all,
  consent,  // the write was outdated, but not what it says about consent
  nothing,  // the write was outdated
};

struct Change {
  Contact before;
  Contact after;
  std::vector<Contact> merged;  // contacts that are part of it from now on
  ConsentOutcome consent;
  std::vector<events::Event> events;
  Applied applied = Applied::all;
  bool is_write = false;  // something is to be written
};

// What a patch makes of a contact. `merged` are others that become part of it first.
Change decide_change(json::Reading& reading, const Contact& before,
                     const std::vector<Contact>& merged, const json::Changes<Contact>& patch,
                     const Knowledge& known);

// No change of the contact itself; something else is written with it.
Change unchanged(const Contact& contact);

// Something about the contact that its own members do not say (a purchase): the row changes with
// it, and the event is numbered after those of the change.
void add_event(Change& change, const Knowledge& known, events::Event event);

// The same without a patch: two contacts are one from now on.
Change decide_merge(const Contact& before, const Contact& other, const Knowledge& known);

// The events of a person's erasure.
std::vector<events::Event> erasure_events(const Contact& contact, const Knowledge& known);

}  // namespace shopbell::contacts
