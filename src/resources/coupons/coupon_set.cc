#include "resources/coupons/coupon_set.h"

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"

namespace shopbell::coupons {

bool is_code(std::string_view text) {
  return is_name(text, limits::kCouponCodeCharacters) && is_visible(text);
}

std::string code_key(std::string_view code) { return fold_case(to_nfc(code).value_or("")); }

}  // namespace shopbell::coupons
