// /contact-fields/ and /manage/contact-fields/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::contact_fields {

std::vector<http::Route> routes();

}  // namespace shopbell::contact_fields
