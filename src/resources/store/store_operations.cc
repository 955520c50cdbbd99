#include "resources/store/store_operations.h"

#include <format>

#include "base/digest.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/store/accounts.h"
#include "resources/store/store_json.h"

namespace shopbell::store {

namespace {

// The ETag is a hash of the body without times, because its counters change without a new version.
std::string tag_of(Store store) {
  store.usage.as_of = store.created_at = store.updated_at = {};
  return '"' + to_hex(sha256(store_json().to_json(store))).substr(0, 32) + '"';
}

boost::asio::awaitable<operations::Output> get_store_detail(operations::Input input) {
  const Store store = co_await get_store(input.database(), input.scope());
  co_return operations::resource_output(store_json(), store, tag_of(store));
}

std::string version_tag_of(const Store& store) {
  static const std::string shape = operations::shape_of(store_json().schema());
  return operations::version_tag(store.created_at, store.version, shape);
}

boost::asio::awaitable<operations::Output> get_managed_store(operations::Input input) {
  const Store store = co_await get_store(input.database(), input.scope());
  co_return operations::resource_output(store_json(), store, version_tag_of(store));
}

boost::asio::awaitable<operations::Output> change_store(operations::Input input) {
  json::Reading reading = input.reading();
  const auto changes = store_json().read_patch(input.body(), reading);
  reading.finish();
  pg::Group reads;
  read_store(reads, input.account());
  read_purchases(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, changes, reading](const operations::Premises& premises, pg::Group& effect) {
        Store store = found_store(premises.results[0]);
        operations::check_conditions(input, version_tag_of(store));
        const std::string currency = store.currency;
        changes.apply_to(store);
        if (store.currency != currency) {
          if (found_purchases(premises.results[1]))
            throw Problem{
                Code::currency_in_use,
                std::format("The currency cannot change: purchase totals are in {}.", currency)};
          free_currency(effect, input.account());
        }
        store.updated_at = premises.now;
        update_store(effect, input.account(), store);
        ++store.version;
        return operations::resource_output(store_json(), store, version_tag_of(store), reading);
      });
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  // An account always has a store: no operation responds with not-found.
  const auto store = operations::ResourceOperations{
      .tag = "Store",
      .tag_description = "The store of the account.",
      .hashed = true,
      .problems = {}}.with_answer(store_json());
  auto managed = store;
  managed.hashed = false;
  managed.versioned = true;
  const std::string example = R"({"timeZone":"Europe/Vienna","locale":"de-AT"})";
  return {{Method::get, "/store/", Access::scope("store:read"), get_store_detail,
           store.get("getStore", "Get store detail", "Returns the store of the key's account.")},
          {Method::get, "/manage/store", Access::scope("manage-store:read"), get_managed_store,
           managed.get("getManagedStore", "Get the store to change it",
                       "The same store, with an ETag that changes only when its settings do.")},
          {Method::patch, "/manage/store", Access::scope("manage-store:write"), change_store,
           managed.change("changeStore", "Change the store", "Changes the settings of the store.",
                          {.body = operations::patch_body(store_json(), example),
                           .problems = {Code::currency_in_use}})}};
}

}  // namespace shopbell::store
