// The operations under /manage/templates/{id}/: content, versions, publish, preview.
#pragma once

#include <vector>

#include "operations/operation.h"
#include "operations/resource_operations.h"

namespace shopbell::templates {

// `message` describes the operations on templates.
std::vector<operations::Operation> content_routes(const operations::ResourceOperations& message);

}  // namespace shopbell::templates
