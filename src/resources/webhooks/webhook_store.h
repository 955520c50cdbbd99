// Webhooks in the database, as the API manages them, with redelivery and replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "outgoing/sealed_secrets.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

// Reads a webhook by its id. A malformed id finds nothing.
void read_webhook(pg::Group& reads, std::int64_t account, const std::string& id);
std::optional<Webhook> found_webhook(const pg::Result& result);

// Reads the number of the account's webhooks.
void read_webhook_count(pg::Group& reads, std::int64_t account);
std::int64_t found_webhook_count(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void insert_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                    const std::vector<std::uint8_t>& sealed_secret);
void update_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook);
// Replaces the signing secret; the previous one stays valid for a day.
void rotate_secret(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                   const std::vector<std::uint8_t>& sealed_secret);
void start_replay(pg::Group& effect, std::int64_t account, const Webhook& webhook);
// Deletes the webhook; cleanup deletes its deliveries later, in the background.
void delete_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook);

boost::asio::awaitable<std::vector<Webhook>> list_webhooks(pg::Pool& database, pg::Scope scope,
                                                           std::optional<std::string> after,
                                                           bool ascending, std::int64_t limit);

// Enables or disables the endpoint of an event type, which has the same id.
void set_endpoint_state(pg::Group& effect, std::int64_t account, const Uuid& event_type,
                        bool is_enabled, Instant now);

// Restarts the retry period of all enabled webhooks of an account, which was suspended: meanwhile
// they did not fail. For operator commands, which have the worker's database role.
boost::asio::awaitable<void> restart_webhooks(pg::Pool& database, pg::Scope scope,
                                              std::int64_t account);

// Add a test delivery. It has no data, and is queued after earlier events without a contact.
void read_trials(pg::Group& reads, std::int64_t account, const std::string& webhook);
ShownDelivery add_trial(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                        const pg::Result& trials, Instant now);

// A delivery, found by the event's id in order to redeliver it.
struct FoundDelivery {
  ShownDelivery delivery;
  bool others_first = false;  // true if an earlier delivery of its chain is pending
};
void read_delivery(pg::Group& reads, std::int64_t account, const std::string& webhook,
                   const std::string& id);
std::optional<FoundDelivery> found_delivery(const pg::Result& result);
ShownDelivery send_again(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                         const FoundDelivery& found, Instant now);

struct DeliveryListing {
  std::string webhook;
  std::optional<std::string> status;
  std::optional<std::string> after;
  bool ascending = false;
  std::int64_t limit = 0;
};
struct ListedDeliveries {
  Webhook webhook;
  std::vector<ShownDelivery> deliveries;
};
// Returns nullopt if the webhook does not exist.
boost::asio::awaitable<std::optional<ListedDeliveries>> list_deliveries(pg::Pool& database,
                                                                        pg::Scope scope,
                                                                        DeliveryListing listing);

// The encrypted values of the account's webhooks, in pages of kPageMost; for `keyring reseal`.
boost::asio::awaitable<std::vector<outgoing::SealedSecrets>> list_sealed_webhooks(
    pg::Pool& database, pg::Scope scope, std::optional<Uuid> after);
// Does nothing if the webhook has changed since it was read.
boost::asio::awaitable<void> reseal_webhook(pg::Pool& database, pg::Scope scope,
                                            outgoing::SealedSecrets secrets);

}  // namespace shopbell::webhooks
