#include "app/commands/coupon_commands.h"

#include <fstream>
#include <print>

#include "app/session/account_session.h"
#include "base/limits.h"
#include "json/document.h"
#include "json/writer.h"
#include "resources/coupons/coupon_care.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/coupon_store.h"

namespace shopbell::app {

namespace {

using coupons::CouponSet;

struct CouponOptions {
  std::int64_t account = 0;
  std::string alias;
  std::string name;
  std::string code;
  std::string expires;
  std::optional<std::int64_t> low_watermark;
  std::string file;
};

// Read as a request would be, so that the same rules hold.
CouponSet set_of(const CouponOptions& options) {
  json::Writer body;
  body.begin_object();
  body.key("alias").text(options.alias);
  body.key("name").text(options.name.empty() ? options.alias : options.name);
  body.key("kind").text(options.code.empty() ? "unique" : "shared");
  if (!options.code.empty()) body.key("code").text(options.code);
  if (!options.expires.empty()) body.key("expiresAt").text(options.expires);
  if (options.low_watermark) body.key("lowWatermark").integer(*options.low_watermark);
  body.end();
  const auto document = json::Document::parse_body(body.finish());
  json::Reading reading;
  CouponSet set;
  coupons::coupon_set_json().read_new(document.root(), reading).apply_to(set);
  reading.finish();
  return set;
}

// One code a line; blank lines do not count.
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
          "line {} of {} is no code: 1 to 64 visible characters, without blanks", number, file)};
    codes.push_back(std::move(line));
  }
  return codes;
}

void create(const Config& config, const CouponOptions& options) {
  const CouponSet set =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return coupons::make_set(database, scope, set_of(options));
      });
  std::println("coupon_set={}\nalias={}", set.id.to_string(), set.alias);
}

void add(const Config& config, const CouponOptions& options) {
  const auto codes = codes_in(options.file);
  const auto added =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return coupons::put_codes(database, scope, options.alias, codes);
      });
  for (const auto& duplicate : added.duplicates)
    std::println("duplicate={} in {}", duplicate.code, duplicate.coupon_set);
  std::println("added={}", added.added);
}

void list(const Config& config, const CouponOptions& options) {
  const auto sets = serve_account(config, options.account, [](pg::Pool& database, pg::Scope scope) {
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
  auto* made = of_account("create", "Make a coupon set");
  made->add_option("--alias", options->alias, "What definitions name it by")->required();
  made->add_option("--name", options->name, "For people; the alias by default");
  made->add_option("--code", options->code, "One code for everybody, instead of one each");
  made->add_option("--expires", options->expires, "RFC 3339 time; never by default");
  made->add_option("--low-watermark", options->low_watermark,
                   "At how many codes left that is told");
  made->callback([=] { create(config(), *options); });
  auto* added = of_account("add", "Add codes from a file, one a line");
  added->add_option("SET", options->alias, "Alias or id of the set")->required();
  added->add_option("FILE", options->file, "The file")->required();
  added->callback([=] { add(config(), *options); });
  of_account("list", "Show every set with its counters")->callback([=] {
    list(config(), *options);
  });
}

}  // namespace shopbell::app
