// Merges two contacts of the same person.
#pragma once

#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// The survivor's values take precedence; `other` fills its empty ones. Tags are combined and points
// added. The stricter subscription and status applies. A `subscribed` that was given for another
// address than the survivor's is not taken over.
Contact merged(const Contact& survivor, const Contact& other);

}  // namespace shopbell::contacts
