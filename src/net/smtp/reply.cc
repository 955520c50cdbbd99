#include "net/smtp/reply.h"

#include <algorithm>
#include <utility>

#include "base/mail_limits.h"

namespace shopbell::net::smtp {

namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// The length of the enhanced status code at the start of the text; 0 if there is none. RFC 3463
// allows one digit, then up to three and up to three.
std::size_t enhanced_size(std::string_view text, char first) {
  if (text.empty() || text[0] != first) return 0;
  std::size_t at = 1;
  for (int part = 0; part < 2; ++part) {
    if (at >= text.size() || text[at] != '.') return 0;
    const std::size_t digits_begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == digits_begin || at - digits_begin > 3) return 0;
  }
  return at == text.size() || text[at] == ' ' ? at : 0;
}

}  // namespace

std::optional<Reply> ReplyReader::next() {
  std::size_t begin = 0;
  std::optional<Reply> complete;
  while (!complete) {
    const std::size_t end = bytes_.find('\n', begin);
    if (end == std::string::npos) break;
    std::string_view line{bytes_.data() + begin, end - begin};
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    if (take_line(line)) {
      complete = std::exchange(reply_, {});
      lines_ = 0;
    }
  }
  bytes_.erase(0, begin);
  if (bytes_.size() > limits::kReplyLineBytes)
    throw BadReply{"the server's reply has a line that is too long"};
  return complete;
}

bool ReplyReader::take_line(std::string_view line) {
  if (line.size() > limits::kReplyLineBytes)
    throw BadReply{"the server's reply has a line that is too long"};
  const bool has_code = line.size() >= 3 && line[0] >= '2' && line[0] <= '5' &&
                        std::ranges::all_of(line.substr(0, 3), is_digit);
  const char after = line.size() > 3 ? line[3] : ' ';
  if (!has_code || (after != ' ' && after != '-'))
    throw BadReply{"the server sent a line that is not a reply"};
  const int code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  if (lines_ > 0 && code != reply_.code)
    throw BadReply{"the lines of the server's reply have different codes"};
  if (++lines_ > limits::kReplyLines) throw BadReply{"the server's reply has too many lines"};
  reply_.code = code;
  std::string_view text = line.size() > 4 ? line.substr(4) : std::string_view{};
  if (const std::size_t size = enhanced_size(text, line[0]); size > 0) {
    if (reply_.enhanced.empty()) reply_.enhanced = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  if (lines_ > 1) reply_.text += '\n';
  reply_.text += text;
  return after == ' ';
}

}  // namespace shopbell::net::smtp
