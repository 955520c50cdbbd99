#include "resources/contacts/chosen_contact.h"

#include <map>

#include "base/identity.h"
#include "base/problem.h"
#include "json/document.h"
#include "resources/contact_fields/contact_field_store.h"
#include "resources/contacts/lane_contacts.h"

namespace shopbell::contacts {

namespace {

using Identifiers = std::map<std::string, std::string, std::less<>>;

// The identifiers of a contact in a request; nullopt if it has other members too.
std::optional<Identifiers> only_identifiers(const json::Value& contact) {
  Identifiers names;
  bool only_names = true;
  contact.for_each([&](std::string_view name, const json::Value& value) {
    if ((name == "id" || name == "externalId" || name == "email") &&
        value.type() == json::Type::text) {
      names.emplace(name, value.text());
    } else {
      only_names = false;
    }
  });
  if (!only_names) return std::nullopt;
  return names;
}

}  // namespace

std::optional<Key> key_of(std::optional<std::string_view> id,
                          std::optional<std::string_view> external_id,
                          std::optional<std::string_view> email) {
  using Kind = Key::Kind;
  if (id) return Key{Kind::id, std::string{*id}};
  if (external_id) return Key{Kind::external_id, std::string{*external_id}};
  if (email) return Key{Kind::email, email_key(*email).value_or("")};
  return std::nullopt;
}

boost::asio::awaitable<Contact> stored_contact(operations::Input input, Key key) {
  input.require_scope("contacts:read");
  std::optional<Found> found;
  const bool may_exist =
      !key.value.empty() && (key.kind != Key::Kind::id || Uuid::parse(key.value));
  if (may_exist) found = co_await find_contact(input.database(), input.scope(), std::move(key));
  if (!found) throw Problem{Code::not_found, "There is no contact with this identifier."};
  co_return std::move(found->contact);
}

boost::asio::awaitable<ChosenContact> chosen_contact(operations::Input input, std::string json) {
  std::optional<Key> key;
  {
    const auto document = json::Document::parse(json);
    if (const auto names = only_identifiers(document->root())) {
      const auto name_of = [&](std::string_view name) -> std::optional<std::string_view> {
        const auto found = names->find(name);
        return found == names->end() ? std::nullopt
                                     : std::optional<std::string_view>{found->second};
      };
      key = key_of(name_of("id"), name_of("externalId"), name_of("email"));
    }
  }
  if (!key) co_return ChosenContact{.shown = engine::Data{std::move(json)}, .id = {}};
  Contact contact = co_await stored_contact(input, *key);
  const Uuid id = contact.id;
  const auto fields = co_await contact_fields::load_fields(input.database(), input.scope());
  co_return ChosenContact{.shown = shown_contact(std::move(contact), fields), .id = id};
}

}  // namespace shopbell::contacts
