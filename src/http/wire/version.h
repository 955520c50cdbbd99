// The version of the API, shown in OpenAPI and in the Shopbell-Version header. Changes are
// additive.
#pragma once

#include <string_view>

namespace shopbell::http {
inline constexpr std::string_view kInterfaceVersion = "1.0";
}
