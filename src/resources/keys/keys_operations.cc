#include "resources/keys/keys_operations.h"

#include <algorithm>
#include <format>
#include <memory>

#include "base/limits.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/keys/api_key_json.h"
#include "resources/keys/key.h"
#include "resources/keys/key_management.h"
#include "resources/keys/key_width.h"

namespace shopbell::keys {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// The JSON tables that the operations share. They contain all valid scopes.
struct KeyTables {
  json::Table<ApiKey> key;
  json::Table<ApiKey> created;
  std::string shape = operations::shape_of(key.schema());

  std::string tag_of(const ApiKey& of) const {
    return operations::version_tag(of.created_at, of.version, shape);
  }
  operations::Output answer_of(const ApiKey& of, const json::Table<ApiKey>& table,
                               const json::Reading& reading = json::Reading{}) const {
    return operations::resource_output(table, of, tag_of(of), reading);
  }
};
using Tables = std::shared_ptr<const KeyTables>;

Problem missing() { return Problem{Code::not_found, "There is no key with this id."}; }

Uuid id_of(const operations::Input& input) {
  const auto id = Uuid::parse(input.path("id"));
  if (!id) throw missing();
  return *id;
}

void check_burst(json::Reading& reading, const ApiKey& key) {
  if (!key.request_burst || key.requests_per_second) return;
  const json::Reading::Place place{reading, "requestBurst"};
  reading.refuse("conflicts-with", "Is allowed only together with requestsPerSecond.");
}

// Returns the limits of the caller, which another key must stay within; nullopt for an operator.
boost::asio::awaitable<std::optional<ApiKey>> limits_of_caller(operations::Input input) {
  using Kind = operations::Caller::Kind;
  const operations::Caller& caller = input.caller();
  if (caller.kind == Kind::user) co_return ApiKey{.scopes = caller.scopes};
  if (caller.kind != Kind::key) co_return std::nullopt;
  pg::Group reads;
  read_key(reads, input.account(), caller.key_id);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  auto key = found_key(found[0]);
  if (!key) throw Problem{Code::key_revoked, "The calling key was revoked meanwhile."};
  co_return key;
}

Answer list(operations::Input input, Tables tables) {
  const operations::PageRequest request = operations::read_page_request(input);
  const auto keys = co_await list_keys(input.database(), input.scope(), request.after,
                                       request.ascending, request.limit + 1);
  co_return operations::page_output<ApiKey>(input, request, tables->key, keys,
                                            [](const ApiKey& key) { return key.id.to_string(); });
}

Answer create(operations::Input input, Tables tables) {
  json::Reading reading = input.reading();
  ApiKey key;
  tables->key.read_new(input.body(), reading).apply_to(key);
  check_burst(reading, key);
  reading.finish();
  if (const auto caller = co_await limits_of_caller(input)) require_within(key, *caller);
  pg::Group reads;
  read_account(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, tables, key, reading](const operations::Premises& premises,
                                    pg::Group& effect) mutable {
        operations::check_conditions(input, std::nullopt);
        const KeyAccount account = found_account(premises.results[0]);
        if (account.keys >= limits::kApiKeys)
          throw Problem{Code::limit_reached,
                        std::format("An account has at most {} keys.", limits::kApiKeys)};
        const Token token = Token::create(account.is_test ? Mode::test : Mode::live);
        key.id = Uuid::v7(premises.now);
        key.token = token.text;
        key.hint = token.hint();
        key.created_at = key.updated_at = premises.now;
        insert_key(effect, input.account(), key,
                   input.keyring().hash(keyring::Purpose::api_keys, token.text),
                   input.keyring().id_in_force());
        operations::Output output = tables->answer_of(key, tables->created, reading);
        return operations::created(input, std::move(output),
                                   std::format("/manage/keys/{}", key.id.to_string()));
      });
}

Answer get(operations::Input input, Tables tables) {
  pg::Group reads;
  read_key(reads, input.account(), id_of(input));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const auto key = found_key(found[0]);
  if (!key) throw missing();
  co_return tables->answer_of(*key, tables->key);
}

Answer change(operations::Input input, Tables tables) {
  json::Reading reading = input.reading();
  const auto changes = tables->key.read_patch(input.body(), reading);
  reading.finish();
  const auto caller = co_await limits_of_caller(input);
  pg::Group reads;
  read_key(reads, input.account(), id_of(input));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, tables, changes, reading, caller](const operations::Premises& premises,
                                                pg::Group& effect) {
        const auto before = found_key(premises.results[0]);
        if (!before) throw missing();
        ApiKey after = *before;
        changes.apply_to(after);
        if (caller) require_within(*before, *caller);
        if (caller) require_within(after, *caller);
        operations::check_conditions(input, tables->tag_of(*before));
        json::Reading judged = reading;
        check_burst(judged, after);
        judged.finish();
        after.updated_at = premises.now;
        update_key(effect, input.account(), after);
        ++after.version;
        return tables->answer_of(after, tables->key, judged);
      });
}

Answer remove(operations::Input input, Tables tables) {
  pg::Group reads;
  read_key(reads, input.account(), id_of(input));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, tables](const operations::Premises& premises, pg::Group& effect) {
        const auto key = found_key(premises.results[0]);
        if (!key) throw missing();
        operations::check_conditions(input, tables->tag_of(*key));
        revoke_key(effect, input.account(), *key);
        return operations::Output::no_content();
      });
}

}  // namespace

std::vector<operations::Operation> operation_table(std::vector<std::string> scopes) {
  using operations::Method;
  const auto read = operations::Access::scope("manage-keys:read");
  const auto write = operations::Access::scope("manage-keys:write");
  const auto end = operations::Access::scope("manage-keys:delete");
  for (const auto* own : {&read, &write, &end}) scopes.push_back(own->scope_name());
  std::ranges::sort(scopes);
  const auto tables =
      std::make_shared<const KeyTables>(api_key_json(scopes), created_key_json(scopes));
  const auto with = [&](auto handler) {
    return [tables, handler](operations::Input input) { return handler(input, tables); };
  };
  const auto key =
      operations::ResourceOperations{
          .tag = "Keys", .tag_description = "The account's API keys.", .versioned = true}
          .with_answer(tables->key);
  return {
      {Method::get, "/manage/keys/", read, with(list),
       key.list("listKeys", "List keys", "The keys that are not revoked, newest first.")},
      {Method::post, "/manage/keys/", write, with(create),
       key.with_answer(tables->created)
           .create("createKey", "Create a key",
                   "Only this response contains the key itself. The new key can allow no more than "
                   "the calling key: by its scopes, expiry, addresses and rate limit.",
                   {.body = operations::new_body(tables->key),
                    .problems = {Code::key_too_wide, Code::limit_reached}})},
      {Method::get, "/manage/keys/{id}", read, with(get),
       key.get("getKey", "Get a key",
               "Returns the key's name, scopes and limits, without the key itself.")},
      {Method::patch, "/manage/keys/{id}", write, with(change),
       key.change("changeKey", "Change a key",
                  "Takes effect within a second on every process of the service. A key cannot "
                  "change a key "
                  "that allows more than itself, and cannot loosen itself.",
                  {.body = operations::patch_body(tables->key, R"({"name":"Old ERP connector"})"),
                   .problems = {Code::key_too_wide}})},
      {Method::delete_, "/manage/keys/{id}", end, with(remove),
       key.remove("revokeKey", "Revoke a key",
                  "The key stops working within a second on every process of the service. This "
                  "cannot be undone.")}};
}

}  // namespace shopbell::keys
