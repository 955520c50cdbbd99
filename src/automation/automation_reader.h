// The reader of the event log that runs workflows.
#pragma once

#include <functional>

#include "automation/definition_cache.h"
#include "event_log/reader.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"

namespace shopbell::automation {

// `definitions`, `keyring` and `metrics` must outlive the reader. `committed` is called after
// commits with effects.
event_log::Reader automation_reader(DefinitionCache& definitions, const keyring::Keyring& keyring,
                                    observe::Metrics& metrics, std::function<void()> planned);

}  // namespace shopbell::automation
