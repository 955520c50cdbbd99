// JSON of a template's content, as clients and the database have it.
#pragma once

#include <string>
#include <string_view>

#include "json/fields.h"
#include "resources/templates/content.h"

namespace shopbell::templates {

// A version with its content.
const json::Table<Content>& content_json();
// A version without its content, in lists.
const json::Table<Content>& version_json();
// The members that a client writes, and that the database stores.
const json::Table<Content>& written_content_json();

// Replaces the content by a stored one.
void read_stored(std::string_view stored, Content& content);

}  // namespace shopbell::templates
