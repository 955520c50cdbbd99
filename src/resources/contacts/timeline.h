// /manage/contacts/{id}/timeline: the events of a contact.
#pragma once

#include "operations/operation.h"

namespace shopbell::contacts {

operations::Operation timeline_route();

}  // namespace shopbell::contacts
