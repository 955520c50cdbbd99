// JSON of coupon sets and their codes.
#pragma once

#include "json/fields.h"
#include "resources/coupons/coupon_set.h"

namespace shopbell::coupons {

const json::Table<CouponSet>& coupon_set_json();
const json::Table<CouponCode>& coupon_code_json();
const json::Table<NewCodes>& new_codes_json();
const json::Table<CodesAdded>& codes_added_json();

std::vector<WorkflowUse> uses_from_json(std::string_view text);
std::string uses_to_json(const std::vector<WorkflowUse>& uses);

// Checks the rules that involve several members of a set.
void check_set(json::Reading& reading, const CouponSet& set);
// Refuses changes of the members that are fixed at creation.
void check_change(json::Reading& reading, const CouponSet& before, const CouponSet& after);

}  // namespace shopbell::coupons
