// /manage/templates/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::templates {

std::vector<http::Route> routes();

}  // namespace shopbell::templates
