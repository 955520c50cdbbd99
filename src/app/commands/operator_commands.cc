#include "app/commands/operator_commands.h"

#include <print>
#include <ranges>

#include <unistd.h>

#include "app/commands/account_deletion_commands.h"
#include "app/session/operator_session.h"
#include "base/limits.h"
#include "base/text.h"
#include "resources/all.h"
#include "resources/keys/key_management.h"
#include "resources/keys/key_store.h"
#include "resources/store/accounts.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::app {

namespace {

std::runtime_error no_account(std::int64_t account) {
  return std::runtime_error{std::format("the account {} does not exist", account)};
}

std::string time_or_dash(const std::optional<Instant>& instant) {
  return instant ? to_rfc3339(*instant) : "-";
}

void create_account(const Config& config, const store::NewAccount& account) {
  if (const auto fault = store::fault_of(account); !fault.empty()) throw std::runtime_error{fault};
  OperatorSession as_operator{config};
  const auto created = as_operator.run(store::create_account(
      as_operator.database(), as_operator.scope(), account, system_clock().now()));
  std::println("account={}\ntest_account={}", created.live, created.test);
}

void list_accounts(const Config& config) {
  OperatorSession as_operator{config};
  const auto accounts =
      as_operator.run(store::list_accounts(as_operator.database(), as_operator.scope()));
  std::println("{:<20} {:<20} {:<10} {:>7} {:>7}  {}", "ACCOUNT", "TEST OF", "STATE", "RATE",
               "BURST", "NAME");
  for (const auto& account : accounts) {
    std::println("{:<20} {:<20} {:<10} {:>7} {:>7}  {}", account.id,
                 account.live_id ? std::to_string(*account.live_id) : "-", account.state,
                 account.requests_per_second, account.request_burst, account.name);
  }
}

void set_state(const Config& config, std::int64_t account, const std::string& state) {
  OperatorSession as_operator{config};
  if (state == "active")
    as_operator.run(
        webhooks::restart_webhooks(as_operator.database(), as_operator.scope(), account));
  if (!as_operator.run(
          store::set_state(as_operator.database(), as_operator.scope(), account, state)))
    throw std::runtime_error{std::format(
        "the account {} does not exist, or is marked for deletion; see `shopbell account list`",
        account)};
  std::println("account {} is {}; all processes apply this within a second", account, state);
}

void set_rate(const Config& config, std::int64_t account, std::int64_t per_second,
              std::int64_t burst) {
  OperatorSession as_operator{config};
  if (!as_operator.run(
          store::set_rate(as_operator.database(), as_operator.scope(), account, per_second, burst)))
    throw no_account(account);
  std::println("account {} may send {} requests per second, in bursts of up to {}", account,
               per_second, burst);
}

void create_key(const Config& config, keys::NewKey key) {
  if (!is_name(key.name, limits::kTextCharacters))
    throw std::runtime_error{"the name must be one line of 1 to 255 characters"};
  const auto known = resources::all_scopes();
  if (key.scopes == std::vector<std::string>{"all"}) key.scopes = known;
  for (const auto& scope : key.scopes) {
    if (std::ranges::contains(known, scope)) continue;
    throw std::runtime_error{
        std::format("the scope {} does not exist; valid scopes: all {}", scope,
                    known | std::views::join_with(' ') | std::ranges::to<std::string>())};
  }
  const auto keyring = keyring::Keyring::load(config.keyring);
  OperatorSession as_operator{config};
  const std::int64_t account = key.account;
  const auto token = as_operator.run(keys::create_key(
      as_operator.database(), as_operator.scope(), keyring, std::move(key), system_clock().now()));
  if (!token) throw no_account(account);
  std::println("key={}", token->text);
  // Print the hint only for a person at a terminal, not for scripts.
  if (::isatty(STDOUT_FILENO) != 0)
    std::println(stderr, "The key is shown only once: Shopbell stores only a hash of it.");
}

void list_keys(const Config& config, std::int64_t account) {
  OperatorSession as_operator{config};
  const auto keys =
      as_operator.run(keys::list_all_keys(as_operator.database(), as_operator.scope(), account));
  std::println("{:<36}  {:<6} {:<24} {:<24} {:<24}  {}", "KEY", "END", "CREATED", "LAST USED",
               "EXPIRES", "NAME");
  for (const auto& key : keys) {
    std::println("{:<36}  {:<6} {:<24} {:<24} {:<24}  {}{}", key.id.to_string(), key.hint,
                 to_rfc3339(key.created_at), time_or_dash(key.last_used_at),
                 time_or_dash(key.expires_at), key.name, key.revoked ? " (revoked)" : "");
    std::println("    {}",
                 key.scopes | std::views::join_with(' ') | std::ranges::to<std::string>());
  }
}

void revoke_key(const Config& config, const std::string& text) {
  const auto id = Uuid::parse(text);
  OperatorSession as_operator{config};
  if (!id || !as_operator.run(keys::revoke(as_operator.database(), as_operator.scope(), *id)))
    throw std::runtime_error{
        std::format("{} is not the id of a valid key; `shopbell key list` shows them", text)};
  std::println("revoked; all processes refuse it within a second");
}

// The command-line options of all operator commands.
struct OperatorOptions {
  store::NewAccount account;
  keys::NewKey key;
  std::string expires;
  std::int64_t account_id = 0;
  std::int64_t per_second = limits::kRatePerSecond;
  std::optional<std::int64_t> burst;
  std::string key_id;
};

using ConfigSource = std::function<Config()>;

void add_account(CLI::App& commands, const ConfigSource& config,
                 const std::shared_ptr<OperatorOptions>& options) {
  auto* account = commands.add_subcommand("account", "Accounts")->require_subcommand(1);
  auto* create = account->add_subcommand("create", "Create an account and its test account");
  store::NewAccount& made = options->account;
  create->add_option("--name", made.name, "Name of the store")->required();
  create->add_option("--currency", made.currency, "Currency, ISO 4217")->required();
  create->add_option("--url", made.url, "URL of the shop");
  create->add_option("--time-zone", made.time_zone, "IANA time zone")->capture_default_str();
  create->add_option("--locale", made.locale, "BCP 47 language tag")->capture_default_str();
  create->add_option("--country", made.country, "Country, ISO 3166-1 alpha-2");
  create->callback([=] { create_account(config(), options->account); });

  account->add_subcommand("list", "List all accounts")->callback([=] { list_accounts(config()); });
  const auto on_account = [&](const std::string& name, const std::string& what) {
    auto* command = account->add_subcommand(name, what);
    command->add_option("ACCOUNT", options->account_id, "Number of the account")->required();
    return command;
  };
  on_account("suspend", "Suspend an account: refuse its requests, hold its webhooks")
      ->callback([=] { set_state(config(), options->account_id, "suspended"); });
  on_account("resume", "Resume a suspended account")->callback([=] {
    set_state(config(), options->account_id, "active");
  });
  auto* rate = on_account("rate", "Set the rate limit of an account");
  rate->add_option("--per-second", options->per_second, "Requests per second, on average")
      ->required()
      ->check(CLI::Range(1, 1'000'000));
  rate->add_option("--burst", options->burst, "Requests in a burst; default: twice as many")
      ->check(CLI::Range(1, 1'000'000));
  rate->callback([=] {
    set_rate(config(), options->account_id, options->per_second,
             options->burst.value_or(std::min<std::int64_t>(options->per_second * 2, 1'000'000)));
  });
  add_account_deletion(*account, config);
}

void add_key(CLI::App& commands, const ConfigSource& config,
             const std::shared_ptr<OperatorOptions>& options) {
  auto* key = commands.add_subcommand("key", "API keys")->require_subcommand(1);
  auto* create = key->add_subcommand("create", "Create an API key");
  create->add_option("--account", options->key.account, "Number of the account, live or test")
      ->required();
  create->add_option("--name", options->key.name, "What the key is for")->required();
  create->add_option("--scopes", options->key.scopes, "Scopes, comma-separated, or `all`")
      ->required()
      ->delimiter(',');
  create->add_option("--expires", options->expires, "Expiry as RFC 3339 time; default: never");
  create->callback([=] {
    if (!options->expires.empty()) {
      options->key.expires_at = parse_rfc3339(options->expires);
      if (!options->key.expires_at)
        throw std::runtime_error{"--expires must be a time such as 2027-01-31T00:00:00Z"};
    }
    create_key(config(), options->key);
  });

  auto* list = key->add_subcommand("list", "List the keys of an account");
  list->add_option("--account", options->account_id, "Number of the account")->required();
  list->callback([=] { list_keys(config(), options->account_id); });

  auto* revoke = key->add_subcommand("revoke", "Revoke a key permanently");
  revoke->add_option("KEY", options->key_id, "Id of the key, from `key list`")->required();
  revoke->callback([=] { revoke_key(config(), options->key_id); });
}

}  // namespace

void add_operator_commands(CLI::App& commands, std::function<Config()> config) {
  const auto options = std::make_shared<OperatorOptions>();
  add_account(commands, config, options);
  add_key(commands, config, options);
}

}  // namespace shopbell::app
