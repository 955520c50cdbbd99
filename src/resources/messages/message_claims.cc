#include "resources/messages/message_claims.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "engine/definition.h"
#include "engine/send_rules.h"
#include "json/document.h"
#include "pg/columns.h"
#include "resources/contacts/lane_contacts.h"
#include "resources/contacts/marks.h"
#include "resources/messages/queries.h"

namespace shopbell::messages {

namespace {

using contacts::AccountContact;
using contacts::Contact;

constexpr auto kDay = std::chrono::hours{24};
// A suspended account sends nothing. Its messages are looked at again after this time.
constexpr auto kSuspendedPause = std::chrono::minutes{10};

// The settings of an account that decide about its messages.
struct Account {
  bool is_active = false;
  bool is_live = true;
  std::string time_zone;
  std::string marketing_requires;
  std::vector<engine::FrequencyCap> caps;
};

struct DueMessage {
  std::int64_t account = 0;
  Uuid id;
  Uuid contact;
  bool is_marketing = true;
  bool skips_at_cap = false;
  bool is_wanted = true;  // its run still waits for it
  std::optional<std::string> send_rules;
  Instant planned_at;
};

// A contact whose messages are decided now.
struct Recipient {
  Contact contact;
  std::optional<std::string> suppression;  // the reason
  std::vector<Instant> sent;               // earlier marketing messages
};

struct Decision {
  std::string state;  // "planned": looked at again at `due_at`
  std::string reason;
  std::optional<Instant> due_at;
};

Account account_of(const pg::Row& row) {
  Account account{.is_active = row.boolean("is_active"),
                  .is_live = row.boolean("is_live"),
                  .time_zone = row.text("time_zone"),
                  .marketing_requires = row.text("marketing_requires"),
                  .caps = {}};
  if (const auto most = row.maybe_integer("marketing_per_day"))
    account.caps.push_back({.messages = *most, .span = kDay});
  if (const auto most = row.maybe_integer("marketing_per_week"))
    account.caps.push_back({.messages = *most, .span = 7 * kDay});
  return account;
}

DueMessage due_message_of(const pg::Row& row) {
  return {.account = row.integer("account_id"),
          .id = row.uuid("message_id"),
          .contact = row.uuid("contact_id"),
          .is_marketing = row.view("class") == "marketing",
          .skips_at_cap = row.boolean("skips_at_cap"),
          .is_wanted = row.boolean("is_wanted"),
          .send_rules = row.maybe_text("send_rules"),
          .planned_at = row.instant("planned_at")};
}

engine::SendRules rules_of(const DueMessage& message) {
  // Transactional messages have no quiet hours.
  if (!message.send_rules || !message.is_marketing) return {};
  const auto document = json::Document::parse(*message.send_rules);
  return document ? engine::compile_send_rules(document->root()) : engine::SendRules{};
}

std::optional<std::string> refusal_of(const DueMessage& message, const Recipient& recipient,
                                      const Account& account) {
  const Contact& contact = recipient.contact;
  if (!contact.email) return "no-address";
  return engine::refusal_of({.is_marketing = message.is_marketing,
                             .subscription = contact.email_subscription,
                             .status = contact.email_status,
                             .suppression = recipient.suppression.value_or(""),
                             .marketing_requires = account.marketing_requires});
}

Decision decide(const DueMessage& message, Recipient& recipient, const Account& account,
                Instant now) {
  if (!message.is_wanted) return {.state = "skipped", .reason = "run-ended", .due_at = {}};
  if (!account.is_active)
    return {.state = "planned", .reason = {}, .due_at = now + kSuspendedPause};
  if (const auto reason = refusal_of(message, recipient, account))
    return {.state = "suppressed", .reason = *reason, .due_at = {}};
  engine::SendRequest request{
      .planned_at = message.planned_at,
      .now = now,
      .contact_zone = engine::zone_of(recipient.contact.time_zone.value_or(""), account.time_zone),
      .store_zone = engine::zone_of(account.time_zone, "UTC"),
      .caps = {},
      .sent = {},
      .skips_at_cap = message.skips_at_cap};
  if (message.is_marketing) {
    request.caps = account.caps;
    request.sent = recipient.sent;
  }
  const engine::SendRules rules = rules_of(message);
  const engine::SendVerdict verdict = engine::judge_send(rules, request);
  using Kind = engine::SendVerdict::Kind;
  if (verdict.kind == Kind::skip)
    return {.state = "skipped", .reason = verdict.reason, .due_at = {}};
  if (verdict.kind == Kind::wait) return {.state = "planned", .reason = {}, .due_at = verdict.at};
  if (account.is_live) {  // there is no relay: it waits until it is too late
    const Instant latest = engine::latest_send(rules, request);
    return {.state = "planned", .reason = {}, .due_at = latest + std::chrono::microseconds{1}};
  }
  if (message.is_marketing) recipient.sent.push_back(now);
  return {.state = "sent", .reason = {}, .due_at = {}};
}

pg::Columns keys_of(const std::vector<AccountContact>& contacts) {
  pg::Columns keys;
  for (const auto& [account, contact] : contacts) keys.add(account, contact);
  return keys;
}

// What the decisions rest on, read after the contacts are locked.
struct Premises {
  std::map<AccountContact, Recipient> recipients;
  std::map<std::int64_t, Account> accounts;
  std::vector<DueMessage> messages;
  Instant now;
};

void add_suppressions(Premises& premises, const pg::Result& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const AccountContact key{found[i].integer("account_id"), found[i].uuid("contact_id")};
    if (const auto recipient = premises.recipients.find(key);
        recipient != premises.recipients.end())
      recipient->second.suppression = found[i].text("reason");
  }
}

void add_sent(Premises& premises, const pg::Result& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const AccountContact key{found[i].integer("account_id"), found[i].uuid("contact_id")};
    if (const auto recipient = premises.recipients.find(key);
        recipient != premises.recipients.end())
      recipient->second.sent.push_back(found[i].instant("ended_at"));
  }
}

boost::asio::awaitable<Premises> read_premises(
    pg::Transaction& transaction, const keyring::Keyring& keyring,
    std::vector<std::pair<AccountContact, Contact>> locked) {
  std::vector<AccountContact> keys;
  pg::Columns addresses;
  Premises premises;
  for (auto& [key, contact] : locked) {
    keys.push_back(key);
    const contacts::AddressHasher hasher{keyring, key.first};
    const auto hash = hasher.address(contacts::kEmail, contact.email_key.value_or(""));
    addresses.add(key.first, key.second, std::span<const std::uint8_t>{hash});
    premises.recipients[key].contact = std::move(contact);
  }
  pg::Group reads;
  keys_of(keys).add_to(reads, sql::lock_due_messages);
  keys_of(keys).add_to(reads, sql::list_sent_messages);
  keys_of(keys).add_to(reads, sql::get_accounts);
  addresses.add_to(reads, sql::find_suppressions);
  const pg::Results found = co_await transaction.run(std::move(reads));
  premises.messages = found[0].map(due_message_of);
  add_sent(premises, found[1]);
  for (std::size_t i = 0; i < found[2].size(); ++i) {
    premises.accounts[found[2][i].integer("account_id")] = account_of(found[2][i]);
    premises.now = found[2][i].instant("now");
  }
  add_suppressions(premises, found[3]);
  co_return premises;
}

// Messages of higher priority come first: they take the last free slots of a cap.
ClaimRound add_decisions(Premises premises, pg::Group& effect) {
  ClaimRound round;
  pg::Columns rows;
  for (const auto& message : premises.messages) {
    const Decision decision =
        decide(message, premises.recipients.at({message.account, message.contact}),
               premises.accounts.at(message.account), premises.now);
    ++round.looked_at;
    if (decision.state != "planned") ++round.ended;
    rows.add(message.account, message.id, decision.state,
             decision.reason.empty() ? std::nullopt : std::optional{decision.reason},
             decision.due_at);
  }
  rows.add_to(effect, sql::settle_messages);
  return round;
}

boost::asio::awaitable<ClaimRound> claim_within(pg::Transaction& transaction,
                                                const keyring::Keyring& keyring, Instant since) {
  const pg::Result due =
      co_await transaction.query(sql::find_due_contacts, limits::kClaimContacts, since);
  const std::vector<AccountContact> keys = due.map([](const pg::Row& row) {
    return AccountContact{row.integer("account_id"), row.uuid("contact_id")};
  });
  if (keys.empty()) co_return ClaimRound{};
  const Instant oldest = due[0].instant("due_at");
  pg::Group locks;
  contacts::lock_lane_contacts(locks, keys);
  const pg::Results locked = co_await transaction.run(std::move(locks));
  auto people = contacts::locked_lane_contacts(locked[0]);
  if (people.empty()) co_return ClaimRound{};
  Premises premises = co_await read_premises(transaction, keyring, std::move(people));
  pg::Group effect;
  ClaimRound round = add_decisions(std::move(premises), effect);
  round.oldest = oldest;
  if (!effect.empty()) co_await transaction.run(std::move(effect));
  co_return round;
}

}  // namespace

boost::asio::awaitable<ClaimRound> claim_due(pg::Pool& database, const keyring::Keyring& keyring,
                                             Instant since) {
  co_return co_await database.transaction(
      {.deadline = pg::Steady::now() + limits::kLogTransaction},
      [&](pg::Transaction& transaction) { return claim_within(transaction, keyring, since); });
}

}  // namespace shopbell::messages
