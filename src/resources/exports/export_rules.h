// The rules that an export is checked against before it is made, by a request or by a command.
#pragma once

#include <cstdint>
#include <span>

#include "json/reading.h"
#include "keyring/keyring.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// Reads the objects that the request names, the incarnation of the database, and the store's time
// zone: five results.
void read_names(pg::Group& reads, std::int64_t account, const Export& request);
// `found` are the results of read_names(). Replaces a contact and a coupon set by their ids.
// Refuses unknown columns, and a watermark of another account, of another incarnation of the
// database, or older than the stored events. Throws contact-not-found. Sets the store's time zone
// in a report without one.
void resolve_names(json::Reading& reading, Export& request, std::span<const pg::Result> found,
                   const keyring::Keyring& keyring, std::int64_t account, Instant now);

}  // namespace shopbell::exports
