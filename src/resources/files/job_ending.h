// The successful end of a job: its final state and its event.
#pragma once

#include <cstdint>
#include <string>

#include "jobs/worker.h"

namespace shopbell::files {

// Returns the job as it is after `done` is committed. `rows` is the number of rows it processed.
jobs::Job finished(const jobs::Job& job, const jobs::Done& done, std::int64_t rows);

// Appends the event `<kind>.finished`, such as "export.finished", without a contact. The payload is
// the job in its API form.
void tell_finished(jobs::Done& done, const jobs::Job& job, std::string payload);

}  // namespace shopbell::files
