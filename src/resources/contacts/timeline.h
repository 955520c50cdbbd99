// The operation /manage/contacts/{id}/timeline, which lists the events of a contact.
#pragma once

#include "operations/operation.h"

namespace shopbell::contacts {

operations::Operation timeline_route();

}  // namespace shopbell::contacts
