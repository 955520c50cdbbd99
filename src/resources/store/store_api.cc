#include "resources/store/store_api.h"

#include <format>

#include "base/digest.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/write.h"
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
  co_return http::resource_answer(store_json(), store, tag_of(store));
}

std::string version_tag_of(const Store& store) {
  static const std::string shape = http::shape_of(store_json().schema());
  return http::version_tag(store.created_at, store.version, shape);
}

boost::asio::awaitable<http::Response> get_managed_store(http::Call call) {
  const Store store = co_await get_store(call.database(), call.scope());
  co_return http::resource_answer(store_json(), store, version_tag_of(store));
}

boost::asio::awaitable<http::Response> change_store(http::Call call) {
  json::Reading reading = call.reading();
  const auto changes = store_json().read_patch(call.body(), reading);
  reading.finish();
  pg::Group reads;
  read_store(reads, call.account());
  read_purchases(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, changes, reading](const http::Premises& premises, pg::Group& effect) {
        Store store = found_store(premises.results[0]);
        http::check_conditions(call, version_tag_of(store));
        const std::string currency = store.currency;
        changes.apply_to(store);
        if (store.currency != currency) {
          if (found_purchases(premises.results[1]))
            throw Problem{Code::currency_in_use,
                          std::format("The store has purchases, counted in {}.", currency)};
          free_currency(effect, call.account());
        }
        store.updated_at = premises.now;
        update_store(effect, call.account(), store);
        ++store.version;
        return http::resource_answer(store_json(), store, version_tag_of(store), reading);
      });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Store",
          .tag_description = "The shop an account stands for.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = store_json().name(),
          .answer = store_json().answer_schema()};
}

http::Route change_route() {
  http::Operation described =
      operation("changeStore", "Change the store", "What the operator may change, too.");
  described.versioned = true;
  described.body = http::Body{.name = "StorePatch",
                              .schema = store_json().patch_schema(),
                              .example = R"({"timeZone":"Europe/Vienna","locale":"de-AT"})"};
  described.problems = {Code::currency_in_use};
  return {http::Method::patch, "/manage/store", http::Access::scope("manage-store:write"),
          change_store, std::move(described)};
}

}  // namespace

std::vector<http::Route> routes() {
  http::Operation managed =
      operation("getManagedStore", "Get the store to change it",
                "The same store, with an ETag that changes only when its settings do.");
  managed.versioned = true;
  http::Operation plain =
      operation("getStore", "Get store detail", "The store of the key's account.");
  plain.hashed = true;
  return {{http::Method::get, "/store/", http::Access::scope("store:read"), get_store_detail,
           std::move(plain)},
          {http::Method::get, "/manage/store", http::Access::scope("manage-store:read"),
           get_managed_store, std::move(managed)},
          change_route()};
}

}  // namespace shopbell::store
