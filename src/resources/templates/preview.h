// Preview: a template rendered with the data of a contact and an event, without sending anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/data.h"
#include "json/fields.h"
#include "resources/templates/compiled_content.h"

namespace shopbell::templates {

// A preview as the caller asks for it.
struct PreviewRequest {
  std::optional<json::Raw> contact;  // as GET /contacts/ returns it, or only identifiers
  std::optional<json::Raw> event;    // {"kind": …, "data": {…}}, or only the kind
  std::optional<json::Raw> trigger;  // the same
  std::optional<json::Raw> vars;
  std::optional<json::Raw> run;
  std::optional<std::string> locale;
  std::optional<std::int64_t> version;
};

struct Preview {
  std::int64_t version = 1;
  RenderedMail mail;
  std::vector<std::string> missing_products;
};

const json::Table<PreviewRequest>& preview_request_json();
const json::Table<Preview>& preview_json();

// Reads the request. Refuses members that are not objects, and events without a kind.
PreviewRequest read_preview(const json::Value& body, json::Reading& reading);

// The kind of an event that is only named: the contact's latest event of this kind is meant.
std::optional<std::string> named_kind(const std::optional<json::Raw>& event);

// The data of a preview. A value without JSON is nil.
struct PreviewData {
  engine::Data contact;
  engine::Data store;
  engine::Data event;
  engine::Data trigger;
  engine::Data vars;
  engine::Data run;
  std::map<std::string, engine::Data> products;  // by the store's own id
};

// Renders the content. Throws template-invalid if that fails.
RenderedMail render_preview(const CompiledContent& content, const std::string& locale,
                            const PreviewData& data, Instant now);

}  // namespace shopbell::templates
