// /manage/webhooks/
#pragma once

#include <string>
#include <vector>

#include "http/route.h"
#include "net/outside.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

// `outside` is what their addresses may name.
std::vector<http::Route> routes(const net::OutsideRules& outside);

std::string tag_of(const Webhook& webhook);
Webhook existing(const pg::Result& result);
Problem missing_webhook();
// What is the same for every operation.
http::Operation operation(std::string id, std::string summary, std::string description);

}  // namespace shopbell::webhooks
