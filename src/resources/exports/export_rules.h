// What is decided about an export before it is made, whoever asks: a request, or an operator at the
// terminal.
#pragma once

#include <cstdint>
#include <span>

#include "json/reading.h"
#include "keyring/keyring.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// What the names in a wish stand for, and the store's time zone: five results.
void read_names(pg::Group& reads, std::int64_t account, const Export& wish);
// `found` are those of the reads above. A contact and a coupon set become their ids; refuses
// columns that are not there, and a watermark of another account or life of the database, or from
// before the events that are kept; throws contact-not-found. A report gets the store's time zone
// unless it has one.
void settle_names(json::Reading& reading, Export& wish, std::span<const pg::Result> found,
                  const keyring::Keyring& keyring, std::int64_t account, Instant now);

}  // namespace shopbell::exports
