// Bodies: JSON texts taken apart and put together again, and what a body's schema lets one try.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/route.h"

namespace shopbell::proofs {

// `text` with `value` (JSON) at `pointer` (RFC 6901), or without what stands there. Whatever is
// missing on the way is made: a list for a number, else an object.
std::string with_value(std::string_view text, std::string_view pointer,
                       const std::optional<std::string>& value);

// The texts among the members of an object, in their order.
std::vector<std::pair<std::string, std::string>> text_members(std::string_view text);
std::optional<std::string> text_member(std::string_view text, std::string_view name);

// The object without those members, wherever they are in it.
std::string without_members(std::string_view text, const std::vector<std::string>& names);

std::string json_text(std::string_view text);

// The form of an upload's example, under that Content-Type; its file has the name.
inline constexpr std::string_view kFormType = "multipart/form-data; boundary=proof";
std::string form_of(const http::UploadBody& upload, const std::string& file_name);

// One place in a body where its schema says something.
struct Slot {
  std::string pointer;
  const json::Schema* schema;
  bool required;  // a body without it is refused
};
// Every member at every depth, elements of lists by their first.
std::vector<Slot> slots_of(const json::Schema& schema);
// Where a member nobody knows can be put.
std::vector<std::string> object_pointers(const json::Schema& schema);

// JSON of other types than the schema's; none where anything goes.
std::vector<std::string> wrong_values(const json::Schema& schema);

// What an answer's errors[] say, as "pointer code".
struct NamedFault {
  std::string where;  // "pointer", "parameter" or "header"
  std::string at;
  std::string code;
};
std::vector<NamedFault> faults_of(std::string_view problem);
bool has_fault(std::string_view problem, std::string_view where, std::string_view at,
               std::string_view code = {});

// The text without the first occurrence of a part of it.
std::string without(std::string text, std::string_view part);

// The pages of a list, without the cursors between them, which are made anew each time.
std::string without_cursors(const std::string& text);

}  // namespace shopbell::proofs
