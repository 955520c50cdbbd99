#include "resources/keys/keys_api.h"

#include <algorithm>
#include <format>
#include <memory>

#include "base/limits.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/keys/api_key_json.h"
#include "resources/keys/key.h"
#include "resources/keys/key_management.h"

namespace shopbell::keys {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// What the operations share: the tables, which know every scope there is.
struct Wire {
  json::Table<ApiKey> key;
  json::Table<ApiKey> created;
  std::string shape = http::shape_of(key.schema());

  std::string tag_of(const ApiKey& of) const {
    return http::version_tag(of.created_at, of.version, shape);
  }
  http::Response answer_of(const ApiKey& of, const json::Table<ApiKey>& table,
                           const json::Reading& reading = json::Reading{}) const {
    return http::resource_answer(table, of, tag_of(of), reading);
  }
};
using Tables = std::shared_ptr<const Wire>;

Problem missing() { return Problem{Code::not_found, "There is no key of that id."}; }

Uuid id_of(const http::Call& call) {
  const auto id = Uuid::parse(call.path("id"));
  if (!id) throw missing();
  return *id;
}

void check_burst(json::Reading& reading, const ApiKey& key) {
  if (!key.request_burst || key.requests_per_second) return;
  const json::Reading::Place place{reading, "requestBurst"};
  reading.refuse("conflicts-with", "Needs requestsPerSecond beside it.");
}

// A key can give only what it has, or what the other had before: otherwise the right to make keys
// would be the right to everything.
void check_grant(const http::Call& call, const ApiKey& key, const std::vector<std::string>& held) {
  for (const auto& scope : key.scopes) {
    if (call.caller().may(scope) || std::ranges::contains(held, scope)) continue;
    throw Problem{Code::scope_missing,
                  std::format("The key lacks the scope {} and cannot give it to another.", scope)};
  }
}

Answer list(http::Call call, Tables tables) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto keys =
      co_await list_keys(call.database(), call.scope(), wish.after, wish.ascending, wish.limit + 1);
  co_return http::page_answer<ApiKey>(call, wish, tables->key, keys,
                                      [](const ApiKey& key) { return key.id.to_string(); });
}

Answer create(http::Call call, Tables tables) {
  json::Reading reading = call.reading();
  ApiKey key;
  tables->key.read_new(call.body(), reading).apply_to(key);
  check_burst(reading, key);
  reading.finish();
  check_grant(call, key, {});
  pg::Group reads;
  read_account(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, tables, key, reading](const http::Premises& premises, pg::Group& effect) mutable {
        http::check_conditions(call, std::nullopt);
        const KeyAccount account = found_account(premises.results[0]);
        if (account.keys >= limits::kApiKeys)
          throw Problem{Code::limit_reached,
                        std::format("An account has at most {} keys.", limits::kApiKeys)};
        const Token token = Token::create(account.is_test ? Mode::test : Mode::live);
        key.id = Uuid::v7(premises.now);
        key.token = token.text;
        key.hint = token.hint();
        key.created_at = key.updated_at = premises.now;
        insert_key(effect, call.account(), key,
                   call.keyring().hash(keyring::Purpose::api_keys, token.text));
        http::Response response = tables->answer_of(key, tables->created, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location", std::format("{}/manage/keys/{}", call.base_path(), key.id.to_string()));
        return response;
      });
}

Answer get(http::Call call, Tables tables) {
  pg::Group reads;
  read_key(reads, call.account(), id_of(call));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const auto key = found_key(found[0]);
  if (!key) throw missing();
  co_return tables->answer_of(*key, tables->key);
}

Answer change(http::Call call, Tables tables) {
  json::Reading reading = call.reading();
  const auto changes = tables->key.read_patch(call.body(), reading);
  reading.finish();
  pg::Group reads;
  read_key(reads, call.account(), id_of(call));
  co_return co_await http::write(
      call, std::move(reads),
      [call, tables, changes, reading](const http::Premises& premises, pg::Group& effect) {
        const auto before = found_key(premises.results[0]);
        if (!before) throw missing();
        http::check_conditions(call, tables->tag_of(*before));
        ApiKey after = *before;
        changes.apply_to(after);
        json::Reading judged = reading;
        check_burst(judged, after);
        judged.finish();
        check_grant(call, after, before->scopes);
        after.updated_at = premises.now;
        update_key(effect, call.account(), after);
        ++after.version;
        return tables->answer_of(after, tables->key, judged);
      });
}

Answer remove(http::Call call, Tables tables) {
  pg::Group reads;
  read_key(reads, call.account(), id_of(call));
  co_return co_await http::write(call, std::move(reads),
                                 [call, tables](const http::Premises& premises, pg::Group& effect) {
                                   const auto key = found_key(premises.results[0]);
                                   if (!key) throw missing();
                                   http::check_conditions(call, tables->tag_of(*key));
                                   revoke_key(effect, call.account(), *key);
                                   return http::Response{.status = 204};
                                 });
}

http::Operation operation(const Wire& wire, std::string id, std::string summary,
                          std::string description) {
  return {.id = std::move(id),
          .tag = "Keys",
          .tag_description = "The account's API keys.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = wire.key.name(),
          .answer = wire.key.answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation(const Wire& wire) {
  http::Operation described =
      operation(wire, "listKeys", "List keys", "The keys that are not revoked, newest first.");
  described.parameters = http::page_parameters();
  described.answer_name = "ApiKeyPage";
  described.answer = http::page_schema(wire.key.name());
  described.versioned = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation(const Wire& wire) {
  http::Operation described =
      operation(wire, "createKey", "Create a key",
                "The answer shows the key itself, once. It can do no more than the key that made "
                "it.");
  described.success = 201;
  described.body = http::Body{
      .name = "NewApiKey", .schema = wire.key.new_schema(), .example = wire.key.example()};
  described.answer_name = wire.created.name();
  described.answer = wire.created.answer_schema();
  described.problems = {Code::limit_reached};
  return described;
}

http::Operation change_operation(const Wire& wire) {
  http::Operation described =
      operation(wire, "changeKey", "Change a key",
                "Takes hold within a second on every process of the service.");
  described.body = http::Body{.name = "ApiKeyPatch",
                              .schema = wire.key.patch_schema(),
                              .example = R"({"name":"Old ERP connector"})"};
  return described;
}

http::Operation revoke_operation(const Wire& wire) {
  http::Operation described =
      operation(wire, "revokeKey", "Revoke a key",
                "It stops working within a second on every process of the service, for good.");
  described.success = 204;
  described.answer_name.clear();
  return described;
}

}  // namespace

std::vector<http::Route> routes(std::vector<std::string> scopes) {
  const auto read = http::Access::scope("manage-keys:read");
  const auto write = http::Access::scope("manage-keys:write");
  const auto end = http::Access::scope("manage-keys:delete");
  for (const auto* own : {&read, &write, &end}) scopes.push_back(own->scope_name());
  std::ranges::sort(scopes);
  const auto tables = std::make_shared<const Wire>(api_key_json(scopes), created_key_json(scopes));
  const auto with = [&](auto handler) {
    return [tables, handler](http::Call call) { return handler(call, tables); };
  };
  return {
      {http::Method::get, "/manage/keys/", read, with(list), list_operation(*tables)},
      {http::Method::post, "/manage/keys/", write, with(create), create_operation(*tables)},
      {http::Method::get, "/manage/keys/{id}", read, with(get),
       operation(*tables, "getKey", "Get a key", "What it is for and what it may do.")},
      {http::Method::patch, "/manage/keys/{id}", write, with(change), change_operation(*tables)},
      {http::Method::delete_, "/manage/keys/{id}", end, with(remove), revoke_operation(*tables)}};
}

}  // namespace shopbell::keys
