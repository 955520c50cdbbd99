// Merging: two contacts turn out to be one person.
#pragma once

#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// The survivor's values win and its empty ones are filled; tags are united, points added. Of each
// subscription and status the stricter holds; a subscription fills an empty one only together with
// the address it was given for.
Contact merged(const Contact& survivor, const Contact& other);

}  // namespace shopbell::contacts
