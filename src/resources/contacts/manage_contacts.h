// /manage/contacts/: contacts as people look for them, and by the service's own ids.
#pragma once

#include <vector>

#include "http/route.h"
#include "resources/contacts/contact_answer.h"

namespace shopbell::contacts {

std::vector<http::Route> manage_routes(const Memory& memory);

}  // namespace shopbell::contacts
