#include "resources/coupons/coupon_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::coupons {

namespace {

constexpr std::string_view kCodeRule = "Must be of 1 to 64 visible characters, without blanks.";

const json::Table<WorkflowUse>& workflow_use_json() {
  static const json::Table<WorkflowUse> table{
      "WorkflowUse",
      "A workflow that is not finished.",
      {json::text("id", &WorkflowUse::id).format("uuid").required(),
       json::text("name", &WorkflowUse::name).required()}};
  return table;
}

const json::Table<DuplicateCode>& duplicate_json() {
  static const json::Table<DuplicateCode> table{
      "DuplicateCode",
      "A code that was not added, because it is there.",
      {json::text("code", &DuplicateCode::code).doc("As it was sent."),
       json::text("couponSet", &DuplicateCode::coupon_set)
           .doc("Alias of the set that has it: the same one, or another.")}};
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
      "Codes that a store gives to people.",
      {json::uuid("id", &CouponSet::id),
       json::text("alias", &CouponSet::alias)
           .doc("Names the set in definitions, and wherever its id can stand. Stays as it is.")
           .required()
           .length_max(64)
           .pattern("^[a-z][a-z0-9-]{0,63}$")
           .rule(is_alias, "Must start with a small letter and go on with those, digits and -.")
           .example(R"("ten-percent")"),
       json::text("name", &CouponSet::name)
           .doc("For people.")
           .required()
           .length_min(1)
           .example(R"("Ten percent off")"),
       json::text("kind", &CouponSet::kind)
           .doc("`unique`: each code for one person; `shared`: one code for all. Stays as it is.")
           .required()
           .options({"unique", "shared"})
           .example(R"("unique")"),
       json::text("code", &CouponSet::code)
           .doc("The code of a shared set, and of no other. Stays as it is.")
           .length_max(limits::kCouponCodeCharacters)
           .rule(is_code, std::string{kCodeRule}),
       json::integer("total", &CouponSet::total)
           .doc("How many codes there are; null: a shared one never ends.")
           .read_only(),
       json::integer("available", &CouponSet::available)
           .doc("Neither given to somebody nor used; null: a shared one never ends.")
           .read_only(),
       json::integer("assigned", &CouponSet::assigned)
           .doc("Given to somebody, whether used since or not.")
           .read_only(),
       json::integer("redeemed", &CouponSet::redeemed).doc("Used by a purchase.").read_only(),
       json::instant("validFrom", &CouponSet::valid_from)
           .doc("From when the store takes them; null: now.")
           .restricts(),
       json::instant("expiresAt", &CouponSet::expires_at)
           .doc("Until when; none is given to anybody after that. Null: for good.")
           .restricts(),
       json::integer("lowWatermark", &CouponSet::low_watermark)
           .doc("At how many available codes `coupon-set.low` is told; null: never. Unique only.")
           .minimum(0)
           .maximum(limits::kCouponsPerSet)
           .example("100"),
       json::objects("usedInWorkflows", &CouponSet::used_in_workflows, workflow_use_json(),
                     limits::kUsersShown)
           .doc("While one does, the set cannot be deleted.")
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
           .doc("Who was given it; null: nobody, or somebody who was erased."),
       json::instant("assignedAt", &CouponCode::assigned_at),
       json::instant("redeemedAt", &CouponCode::redeemed_at),
       json::boolean("byOther", &CouponCode::by_other)
           .doc("Whether it was used by another contact than the one who was given it."),
       json::instant("addedAt", &CouponCode::added_at)}};
  return table;
}

const json::Table<NewCodes>& new_codes_json() {
  static const json::Table<NewCodes> table{
      "NewCodes",
      "Codes to be added to a set.",
      {json::texts("codes", &NewCodes::codes)
           .doc("They match without regard to case, and each belongs to one set.")
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
      "What became of the codes: each was added, or is a duplicate.",
      {json::integer("added", &CodesAdded::added),
       json::objects("duplicates", &CodesAdded::duplicates, duplicate_json(),
                     limits::kCouponsAdded)}};
  return table;
}

std::vector<WorkflowUse> uses_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"the users of a set are not JSON"};
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
    refuse(reading, "code", "required", "A shared set has a code.");
  if (set.kind == "unique" && set.code)
    refuse(reading, "code", "conflicts-with", "The codes of a unique set are added to it.");
  if (set.is_shared() && set.low_watermark)
    refuse(reading, "lowWatermark", "conflicts-with", "A shared code never ends.");
  if (set.valid_from && set.expires_at && *set.expires_at <= *set.valid_from)
    refuse(reading, "expiresAt", "conflicts-with", "Must be later than validFrom.");
}

void check_change(json::Reading& reading, const CouponSet& before, const CouponSet& after) {
  if (after.alias != before.alias)
    refuse(reading, "alias", "read-only", "Stays as it is: definitions name the set by it.");
  if (after.kind != before.kind) refuse(reading, "kind", "read-only", "Stays as it is.");
  if (after.code != before.code) refuse(reading, "code", "read-only", "Stays as it is.");
}

}  // namespace shopbell::coupons
