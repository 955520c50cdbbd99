// Finds the contact that a request identifies: by its path, or by `contact{}` in the body of a
// purchase or an event.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "json/fields.h"
#include "operations/input.h"
#include "operations/operation.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

using Patch = json::Changes<Contact>;

// All contact identifiers in a request, and their hashes for read_marks().
struct Names {
  Keys keys;
  std::vector<Sha256> hashes;
};
// `path` is the key in the request's path, if it has one.
Names names_of(const operations::Input& input, const Contact& sent, const std::string& country,
               const std::optional<Key>& path = std::nullopt);

// Reads the store's country if `sent` has a phone number without a country code; else empty.
boost::asio::awaitable<std::string> country_for(operations::Input input, const Contact& sent);

// The query parameters `createContact`, `updateContact` and `mergeContacts`.
struct NamingWish {
  bool creates = false;
  bool updates = false;
  bool merges = false;
};
std::vector<operations::QueryParameter> naming_parameters();
// Every parameter that is set requires the scope `contacts:write`; throws scope-missing.
NamingWish naming_wish_of(const operations::Input& input);

// Selects the contact that `contact{}` identifies from `found` and decides its change: fills in a
// missing identifier and, if `wish` allows it, creates, updates or merges. Faults are below
// /contact.
Change decide_named(json::Reading& reading, const Patch& patch, std::vector<Contact> found,
                    const NamingWish& wish, const Knowledge& known);

}  // namespace shopbell::contacts
