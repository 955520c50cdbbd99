// The contact that a dry run or a preview is about: a stored one, if the request only names it, or
// a made-up one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "engine/data.h"
#include "operations/input.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

// A contact by one of its identifiers; nullopt if none is given.
std::optional<Key> key_of(std::optional<std::string_view> id,
                          std::optional<std::string_view> external_id,
                          std::optional<std::string_view> email);

// Requires the scope contacts:read. Throws not-found if there is no contact with this key.
boost::asio::awaitable<Contact> stored_contact(operations::Input input, Key key);

struct ChosenContact {
  engine::Data shown;      // as clients see it
  std::optional<Uuid> id;  // of a stored contact
};
// `json` is an object. With nothing but `id`, `externalId` or `email`, it names a stored contact.
boost::asio::awaitable<ChosenContact> chosen_contact(operations::Input input, std::string json);

}  // namespace shopbell::contacts
