// The wire names of webhooks and of what they are told.
#pragma once

#include "json/fields.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

const json::Table<Webhook>& webhook_json();
// With the signing secret, which is shown when it is made and never again.
const json::Table<Webhook>& created_webhook_json();

const json::Table<ShownDelivery>& delivery_json();

// What is to be sent again.
struct Redelivery {
  std::string id;
};
const json::Table<Redelivery>& redelivery_json();
const json::Table<Period>& replay_json();

}  // namespace shopbell::webhooks
