#include "resources/store/accounts.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"
#include "operations/audit.h"
#include "resources/store/queries.h"

namespace shopbell::store {

namespace {

std::string audit_object(std::int64_t account) { return std::format("accounts/{}", account); }

// Makes the audit row of a command, if the command found the account.
auto audit_of_change(std::string operation, std::int64_t account,
                     std::vector<std::string> members) {
  const operations::AuditRow row{.operation = std::move(operation),
                                 .object = audit_object(account),
                                 .members = std::move(members)};
  return [row](bool found) { return found ? std::optional{row} : std::nullopt; };
}

// Returns whether the account exists.
template <class... Values>
boost::asio::awaitable<bool> change_account(pg::Transaction& transaction, const pg::Query& change,
                                            Values... values) {
  const pg::Result changed = co_await transaction.query(change, values...);
  co_return !changed.empty();
}

}  // namespace

void read_store(pg::Group& reads, std::int64_t account) { reads.add(sql::get_store, account); }

Store found_store(const pg::Result& result) {
  const auto row = result.first();
  if (!row) throw Problem{Code::not_found, "The account has no store."};
  return Store{
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
                 .path_bytes = limits::kPathBytes,
                 .requests_per_second =
                     row->maybe_integer("requests_per_second").value_or(limits::kRatePerSecond),
                 .request_burst = row->maybe_integer("request_burst").value_or(limits::kRateBurst)},
      .usage = {.contacts = row->integer("contacts"),
                .products = row->integer("products"),
                .purchases = row->integer("purchases"),
                .events_this_month = row->integer("events_this_month"),
                .as_of = row->instant("as_of")},
      .created_at = row->instant("created_at"),
      .updated_at = row->instant("updated_at"),
      .version = row->integer("version"),
  };
}

boost::asio::awaitable<Store> get_store(pg::Pool& database, pg::Scope scope) {
  pg::Group reads;
  read_store(reads, *scope.account);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return found_store(found[0]);
}

void read_purchases(pg::Group& reads, std::int64_t account) {
  reads.add(sql::has_purchases, account);
}

bool found_purchases(const pg::Result& result) { return result[0].boolean("has_purchases"); }

void free_currency(pg::Group& effect, std::int64_t account) {
  effect.add(sql::take_currency, account);
  effect.add(sql::require_no_purchase, account);
}

void update_store(pg::Group& effect, std::int64_t account, const Store& store) {
  effect.add(sql::update_store, account, store.version, store.name, store.url, store.time_zone,
             store.currency, store.locale, store.country, store.domains, store.marketing_requires,
             store.send_limits.marketing.per_day, store.send_limits.marketing.per_week,
             store.updated_at);
}

std::string fault_of(const NewAccount& account) {
  if (!is_name(account.name, 255)) return "the name must be one line of 1 to 255 characters";
  if (account.url && !is_web_url(*account.url)) {
    return "the URL must start with http:// or https://, contain a host and no user, and have at "
           "most 2,048 characters";
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
  operations::add_audit_row(
      group, {.operation = "createAccount", .object = audit_object(created.live)}, now);
  co_await database.run(std::move(group), scope);
  co_return created;
}

boost::asio::awaitable<std::vector<AccountLine>> list_accounts(pg::Pool& database,
                                                               pg::Scope scope) {
  const pg::Result found = co_await database.query(scope, sql::list_accounts);
  co_return found.map([](const pg::Row& row) {
    return AccountLine{
        .id = row.integer("account_id"),
        .live_id = row.maybe_integer("live_account_id"),
        .state = row.text("state"),
        .name = row.text("name"),
        .requests_per_second =
            row.maybe_integer("requests_per_second").value_or(limits::kRatePerSecond),
        .request_burst = row.maybe_integer("request_burst").value_or(limits::kRateBurst)};
  });
}

boost::asio::awaitable<bool> set_state(pg::Pool& database, pg::Scope scope, std::int64_t account,
                                       std::string state) {
  co_return co_await operations::run_audited(
      database, scope,
      [&](pg::Transaction& transaction) {
        return change_account(transaction, sql::set_account_state, account, state);
      },
      audit_of_change(state == "active" ? "resumeAccount" : "suspendAccount", account, {"state"}));
}

boost::asio::awaitable<bool> set_rate(pg::Pool& database, pg::Scope scope, std::int64_t account,
                                      std::int64_t per_second, std::int64_t burst) {
  co_return co_await operations::run_audited(
      database, scope,
      [&](pg::Transaction& transaction) {
        return change_account(transaction, sql::set_account_rate, account, per_second, burst);
      },
      audit_of_change("setAccountRate", account, {"requestsPerSecond", "requestBurst"}));
}

}  // namespace shopbell::store
