#include "resources/store/store_api.h"

#include "base/digest.h"
#include "resources/store/accounts.h"
#include "resources/store/store_json.h"

namespace shopbell::store {

namespace {

// The body holds counters that change by themselves, so its tag is a hash of what it says, without
// when it was counted.
std::string tag_of(Store store) {
  store.usage.as_of = store.created_at = store.updated_at = {};
  return '"' + to_hex(sha256(store_json().to_json(store))).substr(0, 32) + '"';
}

boost::asio::awaitable<http::Response> get_store_detail(http::Call call) {
  const Store store = co_await get_store(call.database(), call.scope());
  http::Response response = http::Response::json(store_json().to_json(store));
  response.etag = tag_of(store);
  co_return response;
}

}  // namespace

std::vector<http::Route> routes() {
  return {{http::Method::get, "/store/", http::Access::scope("store:read"), get_store_detail,
           http::Operation{.id = "getStore",
                           .tag = "Store",
                           .summary = "Get store detail",
                           .description = "The store of the key's account.",
                           .answer_name = store_json().name(),
                           .answer = store_json().schema()}}};
}

}  // namespace shopbell::store
