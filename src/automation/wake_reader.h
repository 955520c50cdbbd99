// The reader of the event log that wakes runs which wait for a product: it passes each event of a
// product on to the lanes of the contacts, oldest wait first.
#pragma once

#include "event_log/reader.h"

namespace shopbell::automation {

event_log::Reader wake_reader();

}  // namespace shopbell::automation
