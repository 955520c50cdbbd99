#include "resources/contacts/contact_care.h"

#include "base/identity.h"
#include "resources/contact_fields/contact_field_store.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"

namespace shopbell::contacts {

namespace {

using DecideCare = std::function<void(const std::vector<Contact>&, pg::Group&)>;

boost::asio::awaitable<bool> change_within(pg::Transaction& transaction, std::int64_t account,
                                           const std::vector<Uuid>& ids, const DecideCare& decide) {
  pg::Group locks;
  lock_contacts(locks, account, {.ids = ids});
  co_await transaction.run(std::move(locks));
  pg::Group reads;
  for (const auto& id : ids) read_contact(reads, account, id);
  const pg::Results results = co_await transaction.run(std::move(reads));
  std::vector<Contact> contacts;
  contacts.reserve(ids.size());
  for (const auto& result : results) {
    auto found = found_contacts(result);
    if (found.empty()) co_return false;
    contacts.push_back(std::move(found.front()));
  }
  pg::Group effect;
  decide(contacts, effect);
  if (!effect.empty()) co_await transaction.run(std::move(effect));
  co_return true;
}

// In a transaction of its own, with the contacts locked first: nobody can come in between.
boost::asio::awaitable<bool> change_locked(pg::Pool& database, pg::Scope scope,
                                           std::vector<Uuid> ids, DecideCare decide) {
  co_return co_await database.transaction(scope, [&](pg::Transaction& transaction) {
    return change_within(transaction, *scope.account, ids, decide);
  });
}

}  // namespace

std::optional<Key> typed_key(Key::Kind kind, const std::string& text) {
  std::optional<std::string> value = text;
  if (kind == Key::Kind::email) value = email_key(text);
  if (kind == Key::Kind::id && !Uuid::parse(text)) value.reset();
  return value.transform([&](std::string named) { return Key{kind, std::move(named)}; });
}

boost::asio::awaitable<Knowledge> ContactCare::knowledge(const contact_fields::FieldSet& fields) {
  pg::Group reads;
  read_knowledge(reads, *scope_.account);
  const pg::Results found = co_await database_.run(std::move(reads), scope_);
  const StoreKnowledge store = found_knowledge(found[0]);
  co_return Knowledge{.account = *scope_.account,
                      .now = store.now,
                      .fields = &fields,
                      .store_country = store.country,
                      .hasher = AddressHasher{keys_, *scope_.account}};
}

boost::asio::awaitable<std::optional<std::string>> ContactCare::show(Key key) {
  auto found = co_await find_contact(database_, scope_, std::move(key));
  if (!found) co_return std::nullopt;
  show_fields(co_await contact_fields::load_fields(database_, scope_), found->contact);
  co_return contact_json().to_json(found->contact);
}

boost::asio::awaitable<bool> ContactCare::erase(Key key) {
  const auto found = co_await find_contact(database_, scope_, std::move(key));
  if (!found) co_return false;
  const auto fields = co_await contact_fields::load_fields(database_, scope_);
  const Knowledge known = co_await knowledge(fields);
  co_return co_await change_locked(database_, scope_, {found->contact.id},
                                   [&](const std::vector<Contact>& contacts, pg::Group& effect) {
                                     contacts::erase(effect, contacts[0], known);
                                   });
}

boost::asio::awaitable<bool> ContactCare::merge(Key from, Key into) {
  const auto other = co_await find_contact(database_, scope_, std::move(from));
  const auto survivor = co_await find_contact(database_, scope_, std::move(into));
  if (!other || !survivor) co_return false;
  const auto fields = co_await contact_fields::load_fields(database_, scope_);
  const Knowledge known = co_await knowledge(fields);
  co_return co_await change_locked(
      database_, scope_, {survivor->contact.id, other->contact.id},
      [&](const std::vector<Contact>& contacts, pg::Group& effect) {
        if (contacts[0].id == contacts[1].id) return;
        write_change(effect, decide_merge(contacts[0], contacts[1], known), known);
      });
}

}  // namespace shopbell::contacts
