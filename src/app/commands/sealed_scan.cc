#include "app/commands/sealed_scan.h"

#include <format>
#include <optional>
#include <vector>

#include "app/commands/progress_bar.h"
#include "base/limits.h"
#include "outgoing/sealed_secrets.h"
#include "resources/integrations/event_type_store.h"
#include "resources/store/accounts.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::app {

namespace {

// The two kinds of rows with encrypted secrets.
struct SealedKind {
  decltype(&webhooks::list_sealed_webhooks) list;
  decltype(&webhooks::reseal_webhook) reseal;
};
constexpr SealedKind kWebhookKind{webhooks::list_sealed_webhooks, webhooks::reseal_webhook};
constexpr SealedKind kEventTypeKind{integrations::list_sealed_event_types,
                                    integrations::reseal_event_type};

boost::asio::awaitable<void> scan_account(pg::Pool& database, std::int64_t account,
                                          const keyring::Keyring& keyring, SealedKind kind,
                                          bool reseals, std::map<int, std::int64_t>& counts) {
  const auto scope = [&] {
    return pg::Scope{.account = account, .deadline = pg::Steady::now() + limits::kLogTransaction};
  };
  std::optional<Uuid> after;
  while (true) {
    auto page = co_await kind.list(database, scope(), after);
    if (page.empty()) co_return;
    after = page.back().owner;
    for (auto& secrets : page) {
      for (const int key : outgoing::keys_of(keyring, account, secrets)) ++counts[key];
      if (reseals && outgoing::reseal(keyring, account, secrets))
        co_await kind.reseal(database, scope(), std::move(secrets));
    }
  }
}

}  // namespace

SealedCounts scan_sealed(const Config& config, OperatorSession& as_operator,
                         const keyring::Keyring& keyring, bool reseals) {
  // The API's role can read and change these rows, one account at a time.
  observe::Metrics metrics;
  pg::Health health;
  pg::Pool database{as_operator.loop(), {.url = config.database_api}, metrics, health};
  as_operator.run(database.wait_connected(as_operator.scope().deadline));
  const auto accounts =
      as_operator.run(store::list_accounts(as_operator.database(), as_operator.scope()));
  SealedCounts counts;
  ProgressBar progress;
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    as_operator.run(
        scan_account(database, accounts[i].id, keyring, kWebhookKind, reseals, counts.webhooks));
    as_operator.run(scan_account(database, accounts[i].id, keyring, kEventTypeKind, reseals,
                                 counts.event_types));
    progress.draw(static_cast<std::int64_t>(i) + 1, std::ssize(accounts), i + 1 == accounts.size());
  }
  return counts;
}

std::string to_text(std::int64_t webhooks, std::int64_t event_types) {
  return std::format("{} webhook{} and {} event type{}", webhooks, webhooks == 1 ? "" : "s",
                     event_types, event_types == 1 ? "" : "s");
}

}  // namespace shopbell::app
