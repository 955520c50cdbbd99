#include "resources/coupons/coupons_api.h"

#include <format>

#include "base/digest.h"
#include "base/limits.h"
#include "http/answer.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/set_rules.h"

namespace shopbell::coupons {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// The body holds counters that change by themselves, so its tag is a hash of what it says.
http::Response answer_of(const CouponSet& set, const json::Reading& reading = json::Reading{}) {
  CouponSet timeless = set;
  timeless.created_at = timeless.updated_at = {};
  return http::resource_answer(
      coupon_set_json(), set,
      '"' + to_hex(sha256(coupon_set_json().to_json(timeless))).substr(0, 32) + '"', reading);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto sets =
      co_await list_sets(call.database(), call.scope(), wish.after, wish.ascending, wish.limit + 1);
  co_return http::page_answer<CouponSet>(call, wish, coupon_set_json(), sets,
                                         [](const CouponSet& set) { return set.id.to_string(); });
}

boost::asio::awaitable<CouponSet> named_set(http::Call call) {
  pg::Group reads;
  read_set(reads, call.account(), call.path("id"));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  co_return existing(found_set(found[0]));
}

Answer get(http::Call call) { co_return answer_of(co_await named_set(call)); }

Answer create(http::Call call) {
  json::Reading reading = call.reading();
  CouponSet set;
  coupon_set_json().read_new(call.body(), reading).apply_to(set);
  check_set(reading, set);
  reading.finish();
  pg::Group reads;
  read_new_set(reads, call.account(), set);
  co_return co_await http::write(
      call, std::move(reads),
      [call, set, reading](const http::Premises& premises, pg::Group& effect) mutable {
        create_set(effect, call.account(), set, premises.results, premises.now);
        http::Response response = answer_of(set, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location",
            std::format("{}/manage/coupon-sets/{}", call.base_path(), set.id.to_string()));
        return response;
      });
}

Answer change(http::Call call) {
  json::Reading reading = call.reading();
  const auto changes = coupon_set_json().read_patch(call.body(), reading);
  reading.finish();
  pg::Group reads;
  read_set(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads),
      [call, changes, reading](const http::Premises& premises, pg::Group& effect) {
        const CouponSet before = existing(found_set(premises.results[0]));
        CouponSet after = before;
        changes.apply_to(after);
        json::Reading judged = reading;
        check_set(judged, after);
        check_change(judged, before, after);
        judged.finish();
        if (coupon_set_json().to_json(after) == coupon_set_json().to_json(before))
          return answer_of(before, judged);
        after.updated_at = premises.now;
        update_set(effect, call.account(), after);
        return answer_of(after, judged);
      });
}

Answer remove(http::Call call) {
  pg::Group reads;
  read_set(reads, call.account(), call.path("id"));
  co_return co_await http::write(call, std::move(reads),
                                 [call](const http::Premises& premises, pg::Group& effect) {
                                   const CouponSet set = existing(found_set(premises.results[0]));
                                   refuse_used(set);
                                   delete_set(effect, call.account(), set);
                                   return http::Response{.status = 204};
                                 });
}

Answer list_codes_of(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const CouponSet set = co_await named_set(call);
  const auto codes = co_await list_codes(call.database(), call.scope(), set.id, wish.after,
                                         wish.ascending, wish.limit + 1);
  co_return http::page_answer<CouponCode>(
      call, wish, coupon_code_json(), codes,
      [](const CouponCode& code) { return std::to_string(code.number); });
}

Answer add(http::Call call) {
  json::Reading reading = call.reading();
  NewCodes sent;
  new_codes_json().read_new(call.body(), reading).apply_to(sent);
  reading.finish();
  pg::Group reads;
  read_set(reads, call.account(), call.path("id"));
  read_codes(reads, call.account(), sent.codes);
  co_return co_await http::write(
      call, std::move(reads),
      [call, sent, reading](const http::Premises& premises, pg::Group& effect) {
        const CouponSet set = existing(found_set(premises.results[0]));
        refuse_shared(set);
        const CodesAdded added = add_codes(effect, call.account(), set, sent.codes,
                                           found_codes(premises.results[1]), premises.now);
        http::Response response = http::Response::json(codes_added_json().to_json(added));
        if (reading.lenient())
          response.headers.emplace_back("Preference-Applied", "handling=lenient");
        return response;
      });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Coupon sets",
          .tag_description = "Codes that a store gives to people, one each or one for all.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = coupon_set_json().name(),
          .answer = coupon_set_json().answer_schema(),
          .hashed = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation(std::string id, std::string summary) {
  http::Operation described =
      operation(std::move(id), std::move(summary), "Newest first, with what is left of each.");
  described.parameters = http::page_parameters();
  described.answer_name = "CouponSetPage";
  described.answer = http::page_schema(coupon_set_json().name());
  described.hashed = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described = operation("createCouponSet", "Create a coupon set",
                                        "A unique one is empty at first: add its codes to it.");
  described.success = 201;
  described.body = http::Body{.name = "NewCouponSet",
                              .schema = coupon_set_json().new_schema(),
                              .example = coupon_set_json().example()};
  described.problems = {Code::alias_taken, Code::coupon_code_taken, Code::limit_reached};
  return described;
}

http::Operation change_operation() {
  http::Operation described =
      operation("changeCouponSet", "Change a coupon set",
                "Its name, when it is valid, and when to be told that few codes are left.");
  described.body = http::Body{.name = "CouponSetPatch",
                              .schema = coupon_set_json().patch_schema(),
                              .example = R"({"name":"Ten percent, winter"})"};
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteCouponSet", "Delete a coupon set",
                "With its codes, and who was given them: the codes are free for another set.");
  described.success = 204;
  described.answer_name.clear();
  described.hashed = false;
  described.problems = {Code::not_found, Code::coupon_set_in_use};
  return described;
}

http::Operation codes_operation() {
  http::Operation described = operation("listCouponCodes", "List the codes of a coupon set",
                                        "With who was given them and whether they were used.");
  described.parameters = http::page_parameters();
  described.answer_name = "CouponCodePage";
  described.answer = http::page_schema(coupon_code_json().name());
  described.answer.members[0].schema.items = {coupon_code_json().schema()};  // shown nowhere else
  described.hashed = false;
  described.problems = {Code::not_found, Code::invalid_cursor};
  return described;
}

http::Operation add_operation() {
  http::Operation described = operation(
      "addCouponCodes", "Add codes to a coupon set",
      "Each code is added once, however often it is sent; what is there already is told.");
  described.body = http::Body{.name = new_codes_json().name(),
                              .schema = new_codes_json().new_schema(),
                              .example = new_codes_json().example()};
  described.answer_name = codes_added_json().name();
  described.answer = codes_added_json().schema();
  described.hashed = false;
  described.problems = {Code::not_found, Code::coupon_set_shared, Code::limit_reached};
  return described;
}

}  // namespace

std::vector<http::Route> routes() {
  const auto shown = http::Access::scope("coupon-sets:read");
  const auto read = http::Access::scope("manage-coupon-sets:read");
  const auto write = http::Access::scope("manage-coupon-sets:write");
  const auto end = http::Access::scope("manage-coupon-sets:delete");
  using http::Method;
  return {{Method::get, "/coupon-sets/", shown, list,
           list_operation("listCouponSets", "Get coupon sets list")},
          {Method::get, "/coupon-sets/{id}", shown, get,
           operation("getCouponSet", "Get coupon set detail by Id", "By its id or its alias.")},
          {Method::get, "/manage/coupon-sets/", read, list,
           list_operation("listManagedCouponSets", "List coupon sets to manage them")},
          {Method::post, "/manage/coupon-sets/", write, create, create_operation()},
          {Method::patch, "/manage/coupon-sets/{id}", write, change, change_operation()},
          {Method::delete_, "/manage/coupon-sets/{id}", end, remove, delete_operation()},
          {Method::get, "/manage/coupon-sets/{id}/codes", read, list_codes_of, codes_operation()},
          {Method::post, "/manage/coupon-sets/{id}/codes", write, add, add_operation()}};
}

}  // namespace shopbell::coupons
