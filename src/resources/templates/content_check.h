// The rules for contents. All functions report every fault at its place.
#pragma once

#include "json/reading.h"
#include "resources/templates/compiled_content.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

// A content may be saved if its Liquid compiles and its default locale exists. Sets the default
// locale if there is only one.
void check_content(json::Reading& reading, Content& content);

// A content may be published if it can be sent: each locale has a subject and a body, and marketing
// shows the link to unsubscribe.
void check_publishable(json::Reading& reading, const Content& content);

// The same for the content of a new template, if it has one.
void check_new_content(json::Reading& reading, Template& message);
void check_new_publishable(json::Reading& reading, const Template& message);

// Throws template-invalid if the reading has faults.
void refuse_invalid(const json::Reading& reading);

// Throws template-invalid for a fault that occurred while rendering.
[[noreturn]] void refuse_rendering(const PartFault& fault);

}  // namespace shopbell::templates
