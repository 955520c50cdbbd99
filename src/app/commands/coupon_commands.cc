#include "app/commands/coupon_commands.h"

#include <fstream>
#include <print>
#include <ranges>
#include <span>

#include "app/session/account_session.h"
#include "base/limits.h"
#include "json/writer.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/coupons_operations.h"

namespace shopbell::app {

namespace {

struct CouponOptions {
  std::int64_t account = 0;
  std::string alias;
  std::string name;
  std::string code;
  std::string expires;
  std::optional<std::int64_t> low_watermark;
  std::string file;
};

std::string body_of(const CouponOptions& options) {
  json::Writer body;
  body.begin_object();
  body.key("alias").text(options.alias);
  body.key("name").text(options.name.empty() ? options.alias : options.name);
  body.key("kind").text(options.code.empty() ? "unique" : "shared");
  if (!options.code.empty()) body.key("code").text(options.code);
  if (!options.expires.empty()) body.key("expiresAt").text(options.expires);
  if (options.low_watermark) body.key("lowWatermark").integer(*options.low_watermark);
  body.end();
  return body.finish();
}

// One code per line; blank lines are skipped.
std::vector<std::string> codes_in(const std::string& file) {
  std::ifstream input{file};
  if (!input) throw std::runtime_error{std::format("{} cannot be read", file)};
  std::vector<std::string> codes;
  std::size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (!coupons::is_code(line))
      throw std::runtime_error{std::format(
          "line {} of {} is not a valid code: 1 to 64 visible characters, without spaces", number,
          file)};
    codes.push_back(std::move(line));
  }
  return codes;
}

void create(const Config& config, const CouponOptions& options) {
  AccountSession session{config, options.account};
  const OutputMembers set{
      session.call(coupons::operation_table(), "createCouponSet", {.body = body_of(options)})};
  std::println("coupon_set={}\nalias={}", set.text("id"), set.text("alias"));
}

std::string codes_body(std::span<const std::string> codes) {
  json::Writer body;
  body.begin_object().key("codes").begin_list();
  for (const auto& code : codes) body.text(code);
  body.end().end();
  return body.finish();
}

void add(const Config& config, const CouponOptions& options) {
  const auto codes = codes_in(options.file);
  AccountSession session{config, options.account};
  const auto table = coupons::operation_table();
  std::int64_t added = 0;
  for (const auto& chunk : codes | std::views::chunk(limits::kCouponsAdded)) {
    const OutputMembers output{session.call(
        table, "addCouponCodes", {.path = {{"id", options.alias}}, .body = codes_body(chunk)})};
    added += output.integer("added");
    output.root().member("duplicates")->for_each([](std::string_view, const json::Value& found) {
      std::println("duplicate={} in {}", found.member("code")->text(),
                   found.member("couponSet")->text());
    });
  }
  std::println("added={}", added);
}

void list(const Config& config, const CouponOptions& options) {
  const auto sets =
      AccountSession{config, options.account}.read([](pg::Pool& database, pg::Scope scope) {
        return coupons::list_sets(database, scope, std::nullopt, true, limits::kCouponSets);
      });
  const auto count = [](const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
  };
  std::println("{:<24} {:<7} {:>9} {:>9} {:>9} {:>9}  {}", "ALIAS", "KIND", "TOTAL", "AVAILABLE",
               "ASSIGNED", "REDEEMED", "NAME");
  for (const auto& set : sets)
    std::println("{:<24} {:<7} {:>9} {:>9} {:>9} {:>9}  {}", set.alias, set.kind, count(set.total),
                 count(set.available), set.assigned, set.redeemed, set.name);
}

}  // namespace

void add_coupon_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<CouponOptions>();
  auto* coupon = commands.add_subcommand("coupons", "Coupon sets")->require_subcommand(1);
  const auto of_account = [&](const std::string& name, const std::string& what) {
    auto* command = coupon->add_subcommand(name, what);
    command->add_option("--account", options->account, "Number of the account")->required();
    return command;
  };
  auto* made = of_account("create", "Create a coupon set");
  made->add_option("--alias", options->alias, "Alias, used in workflow definitions")->required();
  made->add_option("--name", options->name, "Display name; default: the alias");
  made->add_option("--code", options->code,
                   "One code shared by all contacts, instead of unique "
                   "codes");
  made->add_option("--expires", options->expires, "Expiry as RFC 3339 time; default: never");
  made->add_option("--low-watermark", options->low_watermark,
                   "Send coupon-set.low at this number of remaining codes");
  made->callback([=] { create(config(), *options); });
  auto* added = of_account("add", "Add codes from a file, one per line");
  added->add_option("SET", options->alias, "Alias or id of the set")->required();
  added->add_option("FILE", options->file, "File with the codes")->required();
  added->callback([=] { add(config(), *options); });
  of_account("list", "List all sets with their counters")->callback([=] {
    list(config(), *options);
  });
}

}  // namespace shopbell::app
