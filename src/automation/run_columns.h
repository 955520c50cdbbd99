// The columns of the table `run`, each listed once.
#pragma once

#include "automation/rows.h"
#include "pg/result.h"
#include "pg/row_table.h"

namespace shopbell::automation {

// All columns except account, contact, id, seq and trail. These five are the first parameters of
// the statements that write runs.
const pg::RowTable<StoredRun>& run_row();

// Reads a run with its key; its trail stays empty.
StoredRun stored_run_of(const pg::Row& row);

}  // namespace shopbell::automation
