// Webhooks in the database, as the store manages them, and what it has sent again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

// By its id; what is not written as one is not found.
void read_webhook(pg::Group& reads, std::int64_t account, const std::string& id);
std::optional<Webhook> found_webhook(const pg::Result& result);

// How many the account has.
void read_webhook_count(pg::Group& reads, std::int64_t account);
std::int64_t found_webhook_count(const pg::Result& result);

// What happens, each guarded: refused as overtaken when it no longer fits what was read.
void insert_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                    const std::vector<std::uint8_t>& sealed_secret);
void update_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook);
// The one before stays good for a day.
void rotate_secret(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                   const std::vector<std::uint8_t>& sealed_secret);
void start_replay(pg::Group& effect, std::int64_t account, const Webhook& webhook);
// What it was told goes later.
void delete_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook);

boost::asio::awaitable<std::vector<Webhook>> list_webhooks(pg::Pool& database, pg::Scope scope,
                                                           std::optional<std::string> after,
                                                           bool ascending, std::int64_t limit);

// A trial: a delivery that tells of nothing, behind whatever else happened to no contact.
void read_trials(pg::Group& reads, std::int64_t account, const std::string& webhook);
ShownDelivery add_trial(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                        const pg::Result& trials, Instant now);

// A delivery by the event's id, and how it is sent again.
struct FoundDelivery {
  ShownDelivery delivery;
  bool others_first = false;  // something of its chain is being sent
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
// Nothing when there is no such webhook.
boost::asio::awaitable<std::optional<std::vector<ShownDelivery>>> list_deliveries(
    pg::Pool& database, pg::Scope scope, DeliveryListing listing);

}  // namespace shopbell::webhooks
