#include "resources/coupons/coupons_operations.h"

#include <format>

#include "base/digest.h"
#include "base/limits.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/set_rules.h"

namespace shopbell::coupons {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// The ETag is a hash of the body without times, because its counters change without a new version.
operations::Output answer_of(const CouponSet& set, const json::Reading& reading = json::Reading{}) {
  CouponSet timeless = set;
  timeless.created_at = timeless.updated_at = {};
  operations::Output output = operations::resource_output(
      coupon_set_json(), set,
      '"' + to_hex(sha256(coupon_set_json().to_json(timeless))).substr(0, 32) + '"', reading);
  output.object = set.id;  // the path may have the alias
  return output;
}

Answer list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  const auto sets = co_await list_sets(input.database(), input.scope(), request.after,
                                       request.ascending, request.limit + 1);
  co_return operations::page_output<CouponSet>(
      input, request, coupon_set_json(), sets,
      [](const CouponSet& set) { return set.id.to_string(); });
}

boost::asio::awaitable<CouponSet> named_set(operations::Input input) {
  pg::Group reads;
  read_set(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return existing(found_set(found[0]));
}

Answer get(operations::Input input) { co_return answer_of(co_await named_set(input)); }

Answer create(operations::Input input) {
  json::Reading reading = input.reading();
  CouponSet set;
  coupon_set_json().read_new(input.body(), reading).apply_to(set);
  check_set(reading, set);
  reading.finish();
  pg::Group reads;
  read_new_set(reads, input.account(), set);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, set, reading](const operations::Premises& premises, pg::Group& effect) mutable {
        create_set(effect, input.account(), set, premises.results, premises.now);
        operations::Output output = answer_of(set, reading);
        return operations::created(input, std::move(output),
                                   std::format("/manage/coupon-sets/{}", set.id.to_string()));
      });
}

Answer change(operations::Input input) {
  json::Reading reading = input.reading();
  const auto changes = coupon_set_json().read_patch(input.body(), reading);
  reading.finish();
  pg::Group reads;
  read_set(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, changes, reading](const operations::Premises& premises, pg::Group& effect) {
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
        update_set(effect, input.account(), after);
        return answer_of(after, judged);
      });
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_set(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        const CouponSet set = existing(found_set(premises.results[0]));
        refuse_used(set);
        delete_set(effect, input.account(), set);
        return operations::Output::no_content(set.id);
      });
}

Answer list_codes_of(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  const CouponSet set = co_await named_set(input);
  const auto codes = co_await list_codes(input.database(), input.scope(), set.id, request.after,
                                         request.ascending, request.limit + 1);
  co_return operations::page_output<CouponCode>(
      input, request, coupon_code_json(), codes,
      [](const CouponCode& code) { return std::to_string(code.number); });
}

Answer add(operations::Input input) {
  json::Reading reading = input.reading();
  NewCodes sent;
  new_codes_json().read_new(input.body(), reading).apply_to(sent);
  reading.finish();
  pg::Group reads;
  read_set(reads, input.account(), input.path("id"));
  read_codes(reads, input.account(), sent.codes);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, sent, reading](const operations::Premises& premises, pg::Group& effect) {
        const CouponSet set = existing(found_set(premises.results[0]));
        refuse_shared(set);
        const CodesAdded added = add_codes(effect, input.account(), set, sent.codes,
                                           found_codes(premises.results[1]), premises.now);
        operations::Output output = operations::Output::json(codes_added_json().to_json(added));
        output.object = set.id;
        if (reading.lenient()) output.preferences_applied.emplace_back("handling=lenient");
        return output;
      });
}

operations::ResourceOperations coupon_set_operations() {
  return operations::ResourceOperations{
      .tag = "Coupon sets",
      .tag_description = "Sets of coupon codes, either one code per contact or one for all.",
      .hashed = true}
      .with_answer(coupon_set_json());
}

operations::Description codes_operation() {
  operations::ResourceOperations codes = coupon_set_operations();
  codes.answer_name = coupon_code_json().name();
  codes.page_item = coupon_code_json().schema();
  codes.nested = true;
  return codes.list(
      "listCouponCodes", "List the codes of a coupon set",
      "Newest first, with the contact each was assigned to and whether it was redeemed.");
}

operations::Description add_operation() {
  operations::Description described = coupon_set_operations().change(
      "addCouponCodes", "Add codes to a coupon set",
      "Each code is added once, however often it is sent. Codes that already exist are returned as "
      "duplicates.",
      {.body = operations::body_of(new_codes_json()),
       .problems = {Code::coupon_set_shared, Code::limit_reached}});
  described.answer_name = codes_added_json().name();
  described.answer = codes_added_json().schema();
  described.hashed = false;
  return described;
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  const auto shown = operations::Access::scope("coupon-sets:read");
  const auto read = operations::Access::scope("manage-coupon-sets:read");
  const auto write = operations::Access::scope("manage-coupon-sets:write");
  const auto end = operations::Access::scope("manage-coupon-sets:delete");
  const auto set = coupon_set_operations();
  const std::string order = "Newest first, with the number of available codes in each.";
  using operations::Method;
  return {
      {Method::get, "/coupon-sets/", shown, list,
       set.list("listCouponSets", "Get coupon sets list", order)},
      {Method::get, "/coupon-sets/{id}", shown, get,
       set.get("getCouponSet", "Get coupon set detail by Id", "Accepts its id or its alias.")},
      {Method::get, "/manage/coupon-sets/", read, list,
       set.list("listManagedCouponSets", "List coupon sets to manage them", order)},
      {Method::post, "/manage/coupon-sets/", write, create,
       set.create("createCouponSet", "Create a coupon set",
                  "A unique set starts empty: add its codes to it.",
                  {.body = operations::new_body(coupon_set_json()),
                   .problems = {Code::alias_taken, Code::coupon_code_taken, Code::limit_reached}})},
      {Method::patch, "/manage/coupon-sets/{id}", write, change,
       set.change("changeCouponSet", "Change a coupon set",
                  "Changes its name, validity and low watermark.",
                  {.body = operations::patch_body(coupon_set_json(),
                                                  R"({"name":"Ten percent, winter"})")})},
      {Method::delete_, "/manage/coupon-sets/{id}", end, remove,
       set.remove("deleteCouponSet", "Delete a coupon set",
                  "Also deletes its codes and their assignments. Another set can use the codes "
                  "then.",
                  {.problems = {Code::coupon_set_in_use}})},
      {Method::get, "/manage/coupon-sets/{id}/codes", read, list_codes_of, codes_operation()},
      {Method::post, "/manage/coupon-sets/{id}/codes", write, add, add_operation()}};
}

}  // namespace shopbell::coupons
