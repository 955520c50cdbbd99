// /manage/contacts/{id}/timeline: what happened to a person.
#pragma once

#include "http/route.h"

namespace shopbell::contacts {

http::Route timeline_route();

}  // namespace shopbell::contacts
