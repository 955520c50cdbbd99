// The store as conditions and templates of workflows see it.
#pragma once

#include "engine/data.h"
#include "pg/result.h"

namespace shopbell::workflows {

// `row` has the columns of the account that the members are made of.
engine::Data store_data(const pg::Row& row);

}  // namespace shopbell::workflows
