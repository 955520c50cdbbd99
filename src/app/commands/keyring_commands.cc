#include "app/commands/keyring_commands.h"

#include <algorithm>
#include <print>
#include <ranges>

#include "app/commands/sealed_scan.h"
#include "app/session/operator_session.h"
#include "base/limits.h"
#include "event_log/log_status.h"
#include "keyring/keyring.h"
#include "operations/audit.h"
#include "resources/keys/key_store.h"

namespace shopbell::app {

namespace {

using Reasons = std::vector<std::string>;

void list_keyring(const Config& config) {
  std::println("{:<4} {:<24} {:<24} {}", "KEY", "CREATED", "TAKES OVER", "USED FOR");
  for (const auto& key : keyring::Keyring::load(config.keyring).describe())
    std::println("{:<4} {:<24} {:<24} {}", key.id, to_rfc3339(key.created),
                 to_rfc3339(key.takes_over), key.addresses_only ? "hashes of addresses" : "all");
}

boost::asio::awaitable<void> audit_and_change(pg::Transaction& transaction, std::string operation,
                                              const std::function<void()>& change) {
  pg::Group audit;
  operations::add_audit_row(audit, {.operation = std::move(operation), .object = "keyring"},
                            system_clock().now());
  co_await transaction.run(std::move(audit));
  change();
}

// Runs `change` within the transaction of its audit row: without a database nothing changes.
void change_keyring(
    OperatorSession& as_operator, const std::string& operation,
    const std::function<void()>& change = [] {}) {
  as_operator.run(as_operator.database().transaction(
      OperatorSession::scope(), [&](pg::Transaction& transaction) {
        return audit_and_change(transaction, operation, change);
      }));
}

void rotate_keyring(const Config& config) {
  const Instant now = system_clock().now();
  OperatorSession as_operator{config};
  change_keyring(as_operator, "rotateKeyring",
                 [&] { keyring::Keyring::rotate(config.keyring, now); });
  std::println(
      "added a key to {}\nIt takes over at {}: copy the file to all processes and restart them "
      "before then.\nBack up the file. Data protected with the older keys stays valid.\nAfter "
      "that time run `shopbell keyring reseal`.",
      config.keyring.string(), to_rfc3339(now + keyring::kTakeOver));
}

// Adds a reason for each running process whose keyring lacks the key.
void add_stale_processes(OperatorSession& as_operator, std::int64_t key, Reasons& reasons) {
  const auto status = as_operator.run(event_log::read_status(as_operator.database()));
  for (const auto& process : status.processes) {
    if (!process.alive || std::ranges::contains(process.keyring_keys, key)) continue;
    reasons.push_back(std::format(
        "the process {}, version {}, started at {}, runs without key {}: copy the "
        "keyring to it and restart it",
        process.process.to_string(), process.version, to_rfc3339(process.started_at), key));
  }
}

[[noreturn]] void refuse(const std::string& what, const Reasons& reasons) {
  throw std::runtime_error{std::format(
      "{}:\n  {}", what,
      reasons | std::views::join_with(std::string{"\n  "}) | std::ranges::to<std::string>())};
}

std::int64_t sum_without(const std::map<int, std::int64_t>& counts, int key) {
  std::int64_t sum = 0;
  for (const auto& [id, count] : counts)
    if (id != key && id != 0) sum += count;
  return sum;
}

std::int64_t count_of(const std::map<int, std::int64_t>& counts, int key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

void reseal_secrets(const Config& config) {
  const auto ring = keyring::Keyring::load(config.keyring);
  Reasons reasons;
  const auto newest = ring.describe().front();
  if (newest.takes_over > system_clock().now())
    reasons.push_back(std::format("key {} takes over at {}: run this command after that time",
                                  newest.id, to_rfc3339(newest.takes_over)));
  OperatorSession as_operator{config};
  add_stale_processes(as_operator, newest.id, reasons);
  if (!reasons.empty()) refuse("the secrets cannot be encrypted under the newest key yet", reasons);
  change_keyring(as_operator, "resealKeyring");
  const SealedCounts counts = scan_sealed(config, as_operator, ring, true);
  std::println(
      "encrypted the secrets of {} under key {}",
      to_text(sum_without(counts.webhooks, newest.id), sum_without(counts.event_types, newest.id)),
      newest.id);
  const auto webhooks = count_of(counts.webhooks, 0);
  const auto event_types = count_of(counts.event_types, 0);
  if (webhooks + event_types > 0)
    std::println("left {} as they are: the keyring has no key for their secrets",
                 to_text(webhooks, event_types));
}

void add_dependent_keys(OperatorSession& as_operator, int key, Reasons& reasons) {
  const auto keys =
      as_operator.run(keys::list_dependent_keys(as_operator.database(), as_operator.scope(), key));
  if (keys.count == 0) return;
  reasons.push_back(
      std::format("{} API keys were not used since key {} was replaced: wait until they are used, "
                  "or revoke them",
                  keys.count, key));
  for (const auto& one : keys.first)
    reasons.push_back(std::format("  {} of account {}, last used: {}, id {}", one.name, one.account,
                                  one.last_used_at ? to_rfc3339(*one.last_used_at) : "never",
                                  one.id.to_string()));
  if (std::ssize(keys.first) < keys.count)
    reasons.push_back(std::format("  and {} more", keys.count - std::ssize(keys.first)));
}

// The key that replaced `id`. Throws if there is none in force.
keyring::Keyring::Description successor_of(const keyring::Keyring& ring, int id) {
  const auto keys = ring.describe();
  const auto found = std::ranges::find(keys, id, &keyring::Keyring::Description::id);
  if (found == keys.end() || found->addresses_only)
    throw std::runtime_error{
        std::format("there is no key {}; `shopbell keyring list` shows the keys", id)};
  if (found - keys.begin() <= static_cast<std::ptrdiff_t>(ring.in_force()))
    throw std::runtime_error{
        std::format("key {} is in use: add another with `shopbell keyring rotate` first", id)};
  return *(found - 1);
}

void retire_key(const Config& config, int id) {
  const auto ring = keyring::Keyring::load(config.keyring);
  const auto successor = successor_of(ring, id);
  Reasons reasons;
  const Instant answers_until = successor.takes_over + limits::kAnswersKept + limits::kRingMargin;
  if (system_clock().now() < answers_until)
    reasons.push_back(std::format(
        "stored responses for Idempotency-Keys may depend on it until {}: retry after that time",
        to_rfc3339(answers_until)));
  OperatorSession as_operator{config};
  add_stale_processes(as_operator, ring.id_in_force(), reasons);
  const SealedCounts counts = scan_sealed(config, as_operator, ring, false);
  const auto webhooks = count_of(counts.webhooks, id);
  const auto event_types = count_of(counts.event_types, id);
  if (webhooks + event_types > 0)
    reasons.push_back(
        std::format("the secrets of {} are encrypted under it: run `shopbell keyring "
                    "reseal`",
                    to_text(webhooks, event_types)));
  add_dependent_keys(as_operator, id, reasons);
  if (!reasons.empty()) refuse(std::format("key {} is still needed", id), reasons);
  change_keyring(as_operator, "retireKeyringKey",
                 [&] { keyring::Keyring::retire(config.keyring, id); });
  std::println(
      "removed key {} from {}\nCopy the file to all processes, restart them, and back it up. "
      "Exports refuse watermarks from before {}.",
      id, config.keyring.string(), to_rfc3339(successor.takes_over));
}

}  // namespace

void add_keyring_commands(CLI::App& commands, std::function<Config()> config) {
  auto* keyring =
      commands.add_subcommand("keyring", "The installation's own keys")->require_subcommand(1);
  keyring->add_subcommand("list", "List the keys, without their secrets")->callback([=] {
    list_keyring(config());
  });
  keyring->add_subcommand("rotate", "Add a key that takes over in an hour")->callback([=] {
    rotate_keyring(config());
  });
  keyring->add_subcommand("reseal", "Encrypt all stored secrets under the newest key")
      ->callback([=] { reseal_secrets(config()); });
  auto* retire = keyring->add_subcommand("retire", "Remove an older key on which nothing depends");
  const auto id = std::make_shared<int>();
  retire->add_option("KEY", *id, "Id of the key, from `keyring list`")->required();
  retire->callback([=] { retire_key(config(), *id); });
}

}  // namespace shopbell::app
