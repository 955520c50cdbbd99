// Contacts as an operator handles them, outside of any request: what is held about a person, two
// contacts that are one, a person who wants to be forgotten. The same decisions and the same events
// as through the interface.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "keyring/keyring.h"
#include "pg/pool.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

// Of one account; the scope names it.
class ContactCare {
 public:
  ContactCare(pg::Pool& database, pg::Scope scope, const keyring::Keyring& keys)
      : database_{database}, scope_{scope}, keys_{keys} {}

  // The contact as the interface shows it.
  boost::asio::awaitable<std::optional<std::string>> show(Key key);
  // False: there is no such contact.
  boost::asio::awaitable<bool> erase(Key key);
  boost::asio::awaitable<bool> merge(Key from, Key into);

 private:
  boost::asio::awaitable<Knowledge> knowledge(const contact_fields::FieldSet& fields);

  pg::Pool& database_;
  pg::Scope scope_;
  const keyring::Keyring& keys_;
};

// A key as a person types it; nothing when it cannot be one.
std::optional<Key> typed_key(Key::Kind kind, const std::string& text);

}  // namespace shopbell::contacts
