// How a job ends that came to something: the job as it is from then on, and the event that tells
// it.
#pragma once

#include <cstdint>
#include <string>

#include "jobs/worker.h"

namespace shopbell::files {

// The job once `done` is written down, with as many rows as it came to.
jobs::Job finished(const jobs::Job& job, const jobs::Done& done, std::int64_t rows);

// "export.finished", of no contact; the payload is what the API shows of it.
void tell_finished(jobs::Done& done, const jobs::Job& job, std::string payload);

}  // namespace shopbell::files
