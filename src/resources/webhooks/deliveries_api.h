// What a webhook is told: the list of it, a trial, and what is sent again.
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::webhooks {

std::vector<http::Route> delivery_routes();

}  // namespace shopbell::webhooks
