#include "app/install/first_store.h"

#include <algorithm>
#include <print>
#include <stdexcept>

#include "app/session/operator_session.h"
#include "keyring/keyring.h"
#include "resources/all.h"
#include "resources/keys/key_store.h"

namespace shopbell::app {

std::optional<std::string> make_first_store(const Config& config, const store::NewAccount& wanted) {
  const auto keyring = keyring::Keyring::load(config.keyring);
  OperatorSession as_operator{config};
  const auto accounts =
      as_operator.run(store::list_accounts(as_operator.database(), as_operator.scope()));
  const auto live =
      std::ranges::find_if(accounts, [](const auto& account) { return !account.live_id; });
  if (live != accounts.end()) {
    std::println(
        "already exists: the store {}. To create another key for it:\n  shopbell key create "
        "--account {} --name NAME --scopes all",
        live->name, live->id);
    return std::nullopt;
  }
  const auto created = as_operator.run(store::create_account(
      as_operator.database(), as_operator.scope(), wanted, system_clock().now()));
  const auto token = as_operator.run(keys::create_key(
      as_operator.database(), as_operator.scope(), keyring,
      {.account = created.live, .name = "first key", .scopes = resources::all_scopes()},
      system_clock().now()));
  if (!token) throw std::runtime_error{"the store was removed while its key was created"};
  std::println(
      "created the store {} with currency {}; PATCH /manage/store changes its "
      "settings\naccount={}\ntest_account={}\nkey={}",
      wanted.name, wanted.currency, created.live, created.test, token->text);
  return token->text;
}

}  // namespace shopbell::app
