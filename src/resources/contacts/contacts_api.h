// /contacts/ and /manage/contacts/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::contacts {

std::vector<http::Route> routes();

}  // namespace shopbell::contacts
