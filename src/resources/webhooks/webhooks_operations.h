// The operations under /manage/webhooks/.
#pragma once

#include <string>
#include <vector>

#include "net/outside.h"
#include "operations/operation.h"
#include "operations/resource_operations.h"
#include "resources/webhooks/webhook.h"

namespace shopbell::webhooks {

// `outside` restricts the URLs of webhooks.
std::vector<operations::Operation> operation_table(const net::OutsideRules& outside);

std::string tag_of(const Webhook& webhook);
Webhook existing(const pg::Result& result);
Problem missing_webhook();
// Throws `scope-missing` if the caller may not read the data of these kinds of events, with a fault
// for each kind.
void require_readable(const operations::Input& input, const std::vector<std::string>& kinds);
// The scopes that some webhooks need: to set a URL, and to read the data of events.
std::vector<std::string> delivery_scopes();
// The common parts of all operations on webhooks.
operations::ResourceOperations webhook_operations();

}  // namespace shopbell::webhooks
