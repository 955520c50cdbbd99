#include "resources/store/accounts.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"
#include "resources_queries.h"

namespace shopbell::store {

boost::asio::awaitable<Store> get_store(pg::Pool& database, pg::Scope scope) {
  const pg::Result result = co_await database.query(scope, sql::get_store, *scope.account);
  const auto row = result.first();
  if (!row) throw Problem{Code::not_found, "The account has no store."};
  co_return Store{
      .id = row->uuid("id"),
      .name = row->text("name"),
      .url = row->maybe_text("url"),
      .time_zone = row->text("time_zone"),
      .currency = row->text("currency"),
      .locale = row->text("locale"),
      .country = row->maybe_text("country"),
      .domains = row->texts("domains"),
      .marketing_requires = row->text("marketing_requires"),
      .send_limits = {.marketing = {.per_day = row->maybe_integer("marketing_per_day"),
                                    .per_week = row->maybe_integer("marketing_per_week")}},
      .limits = {.body_bytes = limits::kBodyBytes,
                 .header_bytes = limits::kHeaderBytes,
                 .path_bytes = limits::kPathBytes},
      .usage = {.contacts = row->integer("contacts"),
                .products = row->integer("products"),
                .purchases = row->integer("purchases"),
                .events_this_month = row->integer("events_this_month"),
                .as_of = row->instant("as_of")},
      .created_at = row->instant("created_at"),
      .updated_at = row->instant("updated_at"),
  };
}

std::string fault_of(const NewAccount& account) {
  if (!is_name(account.name, 255)) return "the name must be one line of 1 to 255 characters";
  if (account.url && !is_web_url(*account.url)) {
    return "the URL must start with http:// or https://, name a host and no user, and take at most "
           "2,048 characters";
  }
  if (!is_time_zone(account.time_zone)) {
    return std::format("{} is not an IANA time zone, such as Europe/Vienna", account.time_zone);
  }
  if (!is_currency(account.currency))
    return std::format("{} is not an ISO 4217 currency, such as EUR", account.currency);
  if (!is_locale(account.locale))
    return std::format("{} is not a language tag, such as de-AT", account.locale);
  if (account.country && !is_country(*account.country)) {
    return std::format("{} is not an ISO 3166-1 country, such as AT", *account.country);
  }
  return {};
}

boost::asio::awaitable<CreatedAccount> create_account(pg::Pool& database, pg::Scope scope,
                                                      NewAccount account, Instant now) {
  const CreatedAccount created{.live = random_account_id(), .test = random_account_id()};
  pg::Group group;
  const auto add = [&](std::int64_t id, std::optional<std::int64_t> live) {
    group.add(sql::insert_account, id, live, Uuid::v7(now), *to_nfc(account.name), account.url,
              account.time_zone, account.currency, account.locale, account.country);
    group.add(sql::insert_usage, id);
  };
  add(created.live, std::nullopt);
  add(created.test, created.live);
  co_await database.run(std::move(group), scope);
  co_return created;
}

}  // namespace shopbell::store
