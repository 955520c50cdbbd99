// The statements that write what a batch decided.
#pragma once

#include "automation/lane_store.h"
#include "pg/group.h"

namespace shopbell::automation {

void add_statements(pg::Group& effect, const Writes& writes);

}  // namespace shopbell::automation
