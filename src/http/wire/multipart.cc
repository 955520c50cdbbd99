#include "http/wire/multipart.h"

#include <algorithm>
#include <format>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/percent.h"
#include "base/problem.h"
#include "base/text.h"

namespace shopbell::http {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

[[noreturn]] void refuse(std::string detail) {
  throw Problem{Code::malformed_form, std::move(detail)};
}

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// True for a token as in RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view{"!#$%&'*+-.^_`|~"}.contains(c);
  });
}

// True for a boundary as in RFC 2046, 5.1.1.
bool is_boundary(std::string_view text) {
  return !text.empty() && text.size() <= limits::kBoundaryCharacters && !text.ends_with(' ') &&
         std::ranges::all_of(text, [](char c) {
           return is_alphanumeric(c) || std::string_view{"'()+_,-./:=? "}.contains(c);
         });
}

bool is_printable(std::string_view text) {
  return is_utf8(text) && std::ranges::all_of(text, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
         });
}

// Reads a quoted string after its opening quote, and moves `rest` past the closing one. A backslash
// escapes a quote or a backslash. Otherwise it is literal, because some clients send whole paths.
std::string take_quoted(std::string_view& rest) {
  std::string value;
  while (true) {
    if (rest.empty()) refuse("A quoted parameter lacks its closing quote.");
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') return value;
    const bool escapes = c == '\\' && (rest.starts_with('"') || rest.starts_with('\\'));
    value += escapes ? rest.front() : c;
    if (escapes) rest.remove_prefix(1);
  }
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

// Parses the parameters after a header's first word: `; name="file"; filename="contacts.csv"`.
Parameters parameters_of(std::string_view rest) {
  Parameters found;
  while (true) {
    rest = trimmed(rest);
    if (rest.empty()) return found;
    if (!rest.starts_with(';'))
      refuse(
          "The parameters of a header must be separated by "
          "semicolons.");
    rest = trimmed(rest.substr(1));
    if (rest.empty()) return found;  // some clients end with a semicolon
    const auto equals = std::min(rest.find('='), rest.size());
    std::string name = lower_ascii(trimmed(rest.substr(0, equals)));
    if (!is_token(name) || equals == rest.size()) refuse("A header has a malformed parameter.");
    if (std::ranges::contains(found, name, &Parameters::value_type::first))
      refuse(std::format("A header has the parameter {} more than once.", name));
    rest = trimmed(rest.substr(equals + 1));
    std::string value;
    if (rest.starts_with('"')) {
      rest.remove_prefix(1);
      value = take_quoted(rest);
    } else {
      const auto end = std::min(rest.find(';'), rest.size());
      value = trimmed(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    found.emplace_back(std::move(name), std::move(value));
  }
}

std::optional<std::string> parameter(const Parameters& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Parameters::value_type::first);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

// The first word of a header, in lower case.
std::string first_word(std::string_view value) {
  return lower_ascii(trimmed(value.substr(0, value.find(';'))));
}

Parameters parameters_behind(std::string_view value) {
  return parameters_of(value.substr(std::min(value.find(';'), value.size())));
}

// `filename*` (RFC 8187): RFC 7578 forbids it, but some libraries send it for names outside ASCII.
std::optional<std::string> extended_file_name(const Parameters& all) {
  constexpr std::string_view kUtf8 = "utf-8''";
  const auto value = parameter(all, "filename*");
  if (!value) return std::nullopt;
  auto decoded = lower_ascii(std::string_view{*value}.substr(0, kUtf8.size())) == kUtf8
                     ? percent_decode(std::string_view{*value}.substr(kUtf8.size()))
                     : std::nullopt;
  if (!decoded) refuse("A part's filename* must be in UTF-8.");
  return decoded;
}

void read_disposition(FormReader::Part& part, std::string_view value) {
  if (first_word(value) != "form-data") refuse("A part's Content-Disposition must be form-data.");
  const Parameters all = parameters_behind(value);
  part.name = parameter(all, "name").value_or("");
  if (part.name.empty()) refuse("A part has no name.");
  part.file_name = extended_file_name(all);
  if (!part.file_name) part.file_name = parameter(all, "filename");
}

void read_header(FormReader::Part& part, const std::string& name, std::string_view value) {
  if (name == "content-disposition") {
    if (!part.name.empty()) refuse("A part has more than one Content-Disposition.");
    read_disposition(part, value);
  } else if (name == "content-type") {
    part.content_type = value;
  } else if (name == "content-transfer-encoding") {
    const std::string coding = lower_ascii(value);
    if (coding != "binary" && coding != "8bit" && coding != "7bit")
      refuse("A part has a Content-Transfer-Encoding. Send the parts without one.");
  }
}

FormReader::Part part_of(std::string_view head) {
  FormReader::Part part;
  while (!head.empty()) {
    const auto end = std::min(head.find(kLineEnd), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + kLineEnd.size(), head.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || !is_printable(line))
      refuse("A part has a malformed header.");
    read_header(part, lower_ascii(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  if (part.name.empty()) refuse("A part has no Content-Disposition.");
  return part;
}

}  // namespace

FormReader::FormReader(std::string_view content_type) {
  const auto boundary = parameter(parameters_behind(content_type), "boundary");
  if (!boundary || !is_boundary(*boundary))
    refuse("The Content-Type must name a boundary of 1 to 70 characters.");
  delimiter_ = std::format("\r\n--{}", *boundary);
  pending_ = kLineEnd;  // the first boundary may be the first line
}

void FormReader::feed(std::string_view bytes) {
  if (state_ != State::epilogue) pending_.append(bytes);
}

FormReader::Next FormReader::next() {
  while (true) {
    std::optional<Next> found;
    switch (state_) {
      case State::preamble:
        found = skip_preamble();
        break;
      case State::after_boundary:
        found = pass_boundary();
        break;
      case State::head:
        found = read_head();
        break;
      case State::data:
        found = read_data();
        break;
      case State::epilogue:
        return Next::more;
    }
    if (found) return *found;
  }
}

// Returns true if the boundary is at `end`. Otherwise a partial boundary can only start at `end` or
// later.
bool FormReader::find_boundary(std::size_t& end) {
  end = pending_.find(delimiter_);
  if (end != std::string::npos) return true;
  const std::size_t shorter = delimiter_.size() - 1;
  end = pending_.size() > shorter ? pending_.size() - shorter : 0;
  return false;
}

std::optional<FormReader::Next> FormReader::skip_preamble() {
  std::size_t end = 0;
  const bool found = find_boundary(end);
  skipped_ += end;
  if (skipped_ > limits::kFormHeaderBytes)
    refuse("The body must begin with the boundary named in its Content-Type.");
  pending_.erase(0, found ? end + delimiter_.size() : end);
  if (!found) return Next::more;
  state_ = State::after_boundary;
  return std::nullopt;
}

std::optional<FormReader::Next> FormReader::pass_boundary() {
  if (pending_.size() < 2) return Next::more;
  if (pending_.starts_with("--")) {
    state_ = State::epilogue;
    pending_.clear();
    return Next::end;
  }
  const auto end = pending_.find_first_not_of(" \t");
  const auto padding = std::min(end, pending_.size());
  if (padding > limits::kFormHeaderBytes) refuse("A boundary is not followed by a line end.");
  if (pending_.size() - padding < kLineEnd.size()) return Next::more;
  if (pending_.compare(padding, kLineEnd.size(), kLineEnd) != 0)
    refuse("A boundary is not followed by a line end.");
  if (++parts_ > limits::kFormParts)
    refuse(std::format("The form has more than {} parts.", limits::kFormParts));
  pending_.erase(0, padding + kLineEnd.size());
  state_ = State::head;
  return std::nullopt;
}

std::optional<FormReader::Next> FormReader::read_head() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  if (pending_.starts_with(kLineEnd)) refuse("A part has no Content-Disposition.");
  const auto end = pending_.find(kEnd);
  // The end marker may be incomplete, so its bytes do not count for the limit.
  if (std::min(end, pending_.size() - std::min(pending_.size(), kEnd.size() - 1)) >
      limits::kFormHeaderBytes)
    refuse(
        std::format("The headers of a part are larger than {} bytes.", limits::kFormHeaderBytes));
  if (end == std::string::npos) return Next::more;
  part_ = part_of(std::string_view{pending_}.substr(0, end));
  pending_.erase(0, end + kEnd.size());
  state_ = State::data;
  return Next::part;
}

std::optional<FormReader::Next> FormReader::read_data() {
  std::size_t end = 0;
  const bool found = find_boundary(end);
  data_.assign(pending_, 0, end);
  pending_.erase(0, found ? end + delimiter_.size() : end);
  if (found) state_ = State::after_boundary;
  if (!data_.empty()) return Next::data;
  if (found) return std::nullopt;
  return Next::more;
}

std::string FormReader::take_data() { return std::exchange(data_, {}); }

void FormReader::finish() const {
  if (state_ != State::epilogue) refuse("The body ends before the closing boundary of the form.");
}

}  // namespace shopbell::http
