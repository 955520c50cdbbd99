#include "resources/coupons/coupon_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::coupons {

namespace {

constexpr std::string_view kCodeRule = "Must have 1 to 64 visible characters and no blanks.";

const json::Table<WorkflowUse>& workflow_use_json() {
  static const json::Table<WorkflowUse> table{
      "WorkflowUse",
      "An unfinished workflow that uses the coupon set.",
      {json::text("id", &WorkflowUse::id).format("uuid").required(),
       json::text("name", &WorkflowUse::name).required()}};
  return table;
}

const json::Table<DuplicateCode>& duplicate_json() {
  static const json::Table<DuplicateCode> table{
      "DuplicateCode",
      "A code that was not added because it already exists.",
      {json::text("code", &DuplicateCode::code).doc("As it was sent."),
       json::text("couponSet", &DuplicateCode::coupon_set)
           .doc("Alias of the set that has the code: this set or another.")}};
  return table;
}

void refuse(json::Reading& reading, std::string_view member, std::string_view code,
            std::string detail) {
  const json::Reading::Place place{reading, member};
  reading.refuse(code, std::move(detail));
}

}  // namespace

const json::Table<CouponSet>& coupon_set_json() {
  static const json::Table<CouponSet> table{
      "CouponSet",
      "A set of coupon codes that a store assigns to contacts.",
      {json::uuid("id", &CouponSet::id),
       json::text("alias", &CouponSet::alias)
           .doc("Identifies the set in workflow definitions and in place of its id. Cannot change.")
           .required()
           .length_max(64)
           .pattern("^[a-z][a-z0-9-]{0,63}$")
           .rule(is_alias,
                 "Must start with a lowercase letter and contain only lowercase letters, digits "
                 "and -.")
           .example(R"("ten-percent")"),
       json::text("name", &CouponSet::name)
           .doc("The display name.")
           .required()
           .length_min(1)
           .example(R"("Ten percent off")"),
       json::text("kind", &CouponSet::kind)
           .doc("`unique`: each code for one contact; `shared`: one code for all. Cannot change.")
           .required()
           .options({"unique", "shared"})
           .example(R"("unique")"),
       json::text("code", &CouponSet::code)
           .doc("The code of a shared set; null for a unique set. Cannot change.")
           .length_max(limits::kCouponCodeCharacters)
           .rule(is_code, std::string{kCodeRule}),
       json::integer("total", &CouponSet::total)
           .doc("The number of codes; null for a shared set, which never runs out.")
           .read_only(),
       json::integer("available", &CouponSet::available)
           .doc("Codes neither assigned nor redeemed; null for a shared set.")
           .read_only(),
       json::integer("assigned", &CouponSet::assigned)
           .doc("Codes assigned to contacts, redeemed or not.")
           .read_only(),
       json::integer("redeemed", &CouponSet::redeemed).doc("Codes used by purchases.").read_only(),
       json::instant("validFrom", &CouponSet::valid_from)
           .doc("When the store starts to accept the codes; null: now.")
           .restricts(),
       json::instant("expiresAt", &CouponSet::expires_at)
           .doc("When the codes expire; none is assigned after that. Null: never.")
           .restricts(),
       json::integer("lowWatermark", &CouponSet::low_watermark)
           .doc("When this many codes or fewer are available, the event `coupon-set.low` is sent; "
                "null: never. Unique sets only.")
           .minimum(0)
           .maximum(limits::kCouponsPerSet)
           .example("100"),
       json::objects("usedInWorkflows", &CouponSet::used_in_workflows, workflow_use_json(),
                     limits::kUsersShown)
           .doc("The workflows that use the set. While there is one, the set cannot be deleted.")
           .read_only(),
       json::instant("createdAt", &CouponSet::created_at).read_only(),
       json::instant("updatedAt", &CouponSet::updated_at).read_only()}};
  return table;
}

const json::Table<CouponCode>& coupon_code_json() {
  static const json::Table<CouponCode> table{
      "CouponCode",
      "One code of a set.",
      {json::text("code", &CouponCode::code),
       json::text("state", &CouponCode::state).options({"available", "assigned", "redeemed"}),
       json::text("contactId", &CouponCode::contact_id)
           .doc("The contact it was assigned to; null: none, or one that was erased."),
       json::instant("assignedAt", &CouponCode::assigned_at),
       json::instant("redeemedAt", &CouponCode::redeemed_at),
       json::boolean("byOther", &CouponCode::by_other)
           .doc("True when another contact redeemed it than the one it was assigned to."),
       json::instant("addedAt", &CouponCode::added_at)}};
  return table;
}

const json::Table<NewCodes>& new_codes_json() {
  static const json::Table<NewCodes> table{
      "NewCodes",
      "Codes to add to a set.",
      {json::texts("codes", &NewCodes::codes)
           .doc("Codes are compared ignoring case; each code belongs to one set only.")
           .required()
           .items_max(limits::kCouponsAdded)
           .repeatable()
           .element([](json::Schema& element) {
             element.length_min = 1;
             element.length_max = limits::kCouponCodeCharacters;
           })
           .rule(is_code, std::string{kCodeRule})
           .example(R"(["BELL-7F3K","BELL-9Q2M"])")}};
  return table;
}

const json::Table<CodesAdded>& codes_added_json() {
  static const json::Table<CodesAdded> table{
      "CodesAdded",
      "The result for the codes: each was added or is a duplicate.",
      {json::integer("added", &CodesAdded::added),
       json::objects("duplicates", &CodesAdded::duplicates, duplicate_json(),
                     limits::kCouponsAdded)}};
  return table;
}

std::vector<WorkflowUse> uses_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"the workflows of a coupon set are not JSON"};
  std::vector<WorkflowUse> uses;
  json::Reading reading;
  document->root().for_each([&](std::string_view, const json::Value& element) {
    workflow_use_json().read_new(element, reading).apply_to(uses.emplace_back());
  });
  return uses;
}

std::string uses_to_json(const std::vector<WorkflowUse>& uses) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& use : uses) workflow_use_json().write(writer, use);
  writer.end();
  return writer.finish();
}

void check_set(json::Reading& reading, const CouponSet& set) {
  if (set.is_shared() && !set.code && !reading.refused_at("/code"))
    refuse(reading, "code", "required", "A shared set needs a code.");
  if (set.kind == "unique" && set.code)
    refuse(reading, "code", "conflicts-with",
           "Only a shared set can be created with a code. Add the codes of a unique set after "
           "creating it.");
  if (set.is_shared() && set.low_watermark)
    refuse(reading, "lowWatermark", "conflicts-with", "Is allowed only for kind unique.");
  if (set.valid_from && set.expires_at && *set.expires_at <= *set.valid_from)
    refuse(reading, "expiresAt", "conflicts-with", "Must be later than validFrom.");
}

void check_change(json::Reading& reading, const CouponSet& before, const CouponSet& after) {
  if (after.alias != before.alias)
    refuse(reading, "alias", "read-only",
           "Cannot be changed: workflow definitions refer to the set by its alias.");
  if (after.kind != before.kind) refuse(reading, "kind", "read-only", "Cannot be changed.");
  if (after.code != before.code) refuse(reading, "code", "read-only", "Cannot be changed.");
}

}  // namespace shopbell::coupons
