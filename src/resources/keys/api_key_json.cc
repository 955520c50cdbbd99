#include "resources/keys/api_key_json.h"

#include "base/ip.h"

namespace shopbell::keys {

namespace {

constexpr std::int64_t kRateMost = 1'000'000;

std::vector<json::Field<ApiKey>> fields(const std::vector<std::string>& scopes) {
  return {json::uuid("id", &ApiKey::id),
          json::text("name", &ApiKey::name)
              .doc("The purpose of the key.")
              .required()
              .length_min(1)
              .example(R"("ERP connector")"),
          json::texts("scopes", &ApiKey::scopes)
              .doc("The scopes of the key. A key can grant only scopes that it has itself.")
              .required()
              .items_max(static_cast<std::int64_t>(scopes.size()))
              .element([&](json::Schema& element) { element.options = scopes; })
              .example(R"(["store:read"])"),
          json::instant("expiresAt", &ApiKey::expires_at)
              .doc("When the key expires; null: never.")
              .restricts(),
          json::texts("allowedAddresses", &ApiKey::allowed_addresses)
              .doc("Client addresses, or ranges such as 192.0.2.0/24, that may use the key. Empty: "
                   "any address.")
              .items_max(50)
              .restricts()
              .rule(is_network, "Is not an IP address or a range such as 192.0.2.0/24."),
          json::integer("requestsPerSecond", &ApiKey::requests_per_second)
              .doc("A rate limit of the key, besides the account's; null: none.")
              .restricts()
              .minimum(1)
              .maximum(kRateMost),
          json::integer("requestBurst", &ApiKey::request_burst)
              .doc("The maximum number of requests at once; null: twice requestsPerSecond.")
              .restricts()
              .minimum(1)
              .maximum(kRateMost),
          json::text("hint", &ApiKey::hint).doc("The last characters of the key.").read_only(),
          json::instant("lastUsedAt", &ApiKey::last_used_at)
              .doc("Accurate to the minute; not covered by the ETag.")
              .read_only(),
          json::integer("deprecatedRequests", &ApiKey::deprecated_requests)
              .doc("The number of requests to deprecated operations. Accurate to the minute, not "
                   "covered "
                   "by the ETag, and lost when the database crashes.")
              .read_only(),
          json::instant("createdAt", &ApiKey::created_at).read_only(),
          json::instant("updatedAt", &ApiKey::updated_at).read_only()};
}

}  // namespace

json::Table<ApiKey> api_key_json(const std::vector<std::string>& scopes) {
  return {"ApiKey", "A key of the account.", fields(scopes)};
}

json::Table<ApiKey> created_key_json(const std::vector<std::string>& scopes) {
  auto with_token = fields(scopes);
  with_token.push_back(json::text("token", &ApiKey::token)
                           .doc("The key itself. Only this response contains it.")
                           .read_only());
  return {"CreatedApiKey", "A new key of the account.", std::move(with_token)};
}

}  // namespace shopbell::keys
