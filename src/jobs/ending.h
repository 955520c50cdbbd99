// How a job ends that came to something: the job as it is from then on, and the event that tells
// it.
#pragma once

#include <cstdint>
#include <string>

#include "jobs/worker.h"

namespace shopbell::jobs {

// The job once `done` is written down, with as many rows as it came to.
Job finished(const Job& job, const Done& done, std::int64_t rows);

// "export.finished", of no contact; the payload is what the API shows of it.
void tell_finished(Done& done, const Job& job, std::string payload);

}  // namespace shopbell::jobs
