// The operation /manage/templates/{id}/preview.
#pragma once

#include <cstdint>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "base/problem.h"
#include "operations/operation.h"
#include "operations/resource_operations.h"

namespace shopbell::templates {

boost::asio::awaitable<operations::Output> preview_template(operations::Input input);
operations::Description preview_description(const operations::ResourceOperations& message);

// The problem of a template without that version, or without any content.
Problem missing_content(std::optional<std::int64_t> version);

}  // namespace shopbell::templates
