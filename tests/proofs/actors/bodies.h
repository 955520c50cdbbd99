// Bodies: edits JSON texts, and derives test cases from the schema of a request body.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"

namespace shopbell::proofs {

// Sets `pointer` (RFC 6901) in `text` to `value` (JSON), or removes it. Missing parents are
// created: a list for a numeric segment, else an object.
std::string with_value(std::string_view text, std::string_view pointer,
                       const std::optional<std::string>& value);

// Returns the string members of an object, in order.
std::vector<std::pair<std::string, std::string>> text_members(std::string_view text);
std::optional<std::string> text_member(std::string_view text, std::string_view name);

// Removes the members with these names from the object, at every depth.
std::string without_members(std::string_view text, const std::vector<std::string>& names);

std::string json_text(std::string_view text);

// The Content-Type of an upload's multipart form, and the form itself; its file is called
// `file_name`.
inline constexpr std::string_view kFormType = "multipart/form-data; boundary=proof";
std::string form_of(const operations::UploadBody& upload, const std::string& file_name);

// A place in a body that its schema describes.
struct Slot {
  std::string pointer;
  const json::Schema* schema;
  bool required;  // a body without it is rejected
};
// Returns every member at every depth; of a list, only the first element.
std::vector<Slot> slots_of(const json::Schema& schema);
// Returns the pointers of all objects, to which an unknown member can be added.
std::vector<std::string> object_pointers(const json::Schema& schema);

// Returns JSON values of types that the schema rejects; empty if it accepts any type.
std::vector<std::string> wrong_values(const json::Schema& schema);

// An entry of a problem's errors[].
struct NamedFault {
  std::string where;  // the kind of place: "pointer", "parameter" or "header"
  std::string at;
  std::string code;
};
std::vector<NamedFault> faults_of(std::string_view problem);
bool has_fault(std::string_view problem, std::string_view where, std::string_view at,
               std::string_view code = {});

// Removes the first occurrence of `part` from the text.
std::string without(std::string text, std::string_view part);

// Removes the cursors from a page of a list, because they differ on each call.
std::string without_cursors(const std::string& text);

}  // namespace shopbell::proofs
