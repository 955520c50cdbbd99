// The contact a request names: by its path, or by `contact{}` in its body, where a purchase or an
// event says whose it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/call.h"
#include "http/route.h"
#include "json/fields.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

using Patch = json::Changes<Contact>;

// Everything that names a contact in the request, and the hashes by which marks are found.
struct Names {
  Keys keys;
  std::vector<Sha256> hashes;
};
// `path` is a key that the path names besides.
Names names_of(const http::Call& call, const Contact& sent, const std::string& country,
               const std::optional<Key>& path = std::nullopt);

// A national number means nothing without the store's country; all others do without that read.
boost::asio::awaitable<std::string> country_for(http::Call call, const Contact& sent);

// `createContact`, `updateContact`, `mergeContacts`.
struct NamingWish {
  bool creates = false;
  bool updates = false;
  bool merges = false;
};
std::vector<http::QueryParameter> naming_parameters();
// Throws scope-missing: whoever changes contacts must be allowed to.
NamingWish naming_wish_of(const http::Call& call);

// Which contact `contact{}` names among those that were found, and what becomes of it: made when
// there is none, its missing identifier filled in, merged, changed, as wished. Faults are told
// below /contact.
Change decide_named(json::Reading& reading, const Patch& patch, std::vector<Contact> found,
                    const NamingWish& wish, const Knowledge& known);

}  // namespace shopbell::contacts
