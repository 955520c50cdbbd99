// The JSON forms of webhooks and deliveries.
#pragma once

#include "json/fields.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

const json::Table<Webhook>& webhook_json();
// JSON of a webhook with its signing secret, shown only when the secret is created or rotated.
const json::Table<Webhook>& created_webhook_json();

const json::Table<ShownDelivery>& delivery_json();

// The request body of a redelivery.
struct Redelivery {
  std::string id;
};
const json::Table<Redelivery>& redelivery_json();
const json::Table<Period>& replay_json();

}  // namespace shopbell::webhooks
