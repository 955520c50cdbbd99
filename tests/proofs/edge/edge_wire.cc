// Tries messages that are not HTTP or are ambiguous (request smuggling). The service must answer
// 400 and close the connection, or cut it. It never parses bytes after such a message as a request.
#include <algorithm>
#include <format>

#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

using namespace std::string_literals;

struct Message {
  std::string about;
  std::string bytes;
};

// Builds requests of the route, with its key, from parts.
class Writer {
 public:
  explicit Writer(const Trial& trial) : ask_{trial.request()} {
    for (const auto& [name, value] : ask_.headers) headers_ += name + ": " + value + "\r\n";
  }

  std::string line(const std::string& version = " HTTP/1.1") const {
    return ask_.method + " " + ask_.path + version + "\r\n";
  }
  std::string headers() const { return headers_; }
  // Returns a request with these header lines and this body.
  std::string request(const std::string& lines, const std::string& body = "") const {
    return line() + "Host: test\r\n" + headers_ + lines + "\r\n" + body;
  }
  const Ask& ask() const { return ask_; }

 private:
  Ask ask_;
  std::string headers_;
};

std::vector<Message> malformed_heads(const Writer& w) {
  const std::string rest = "Host: test\r\n" + w.headers() + "\r\n";
  const Ask& ask = w.ask();
  return {
      {"no Host", w.line() + w.headers() + "\r\n"},
      {"two Hosts", w.request("Host: other\r\n")},
      {"two equal Hosts", w.request("Host: test\r\n")},
      {"HTTP/0.9", w.line("") + "\r\n"},
      {"HTTP/2.0", w.line(" HTTP/2.0") + rest},
      {"HTTP/9.9", w.line(" HTTP/9.9") + rest},
      {"http/1.1", w.line(" http/1.1") + rest},
      {"HTTP/1.1 and more", w.line(" HTTP/1.1 x") + rest},
      {"two spaces", ask.method + "  " + ask.path + " HTTP/1.1\r\n" + rest},
      {"a tab", ask.method + "\t" + ask.path + "\tHTTP/1.1\r\n" + rest},
      {"no method", " " + ask.path + " HTTP/1.1\r\n" + rest},
      {"no path", ask.method + "  HTTP/1.1\r\n" + rest},
      {"a control character in the path", ask.method + " " + ask.path + "\x01 HTTP/1.1\r\n" + rest},
      {"a space in the path", ask.method + " " + ask.path + " x HTTP/1.1\r\n" + rest},
      {"U+0000 in the path", ask.method + " " + ask.path + "\0 HTTP/1.1\r\n"s + rest},
      {"a header without a colon", w.request("nonsense\r\n")},
      {"a header without a name", w.request(": x\r\n")},
      {"a space before the colon", w.request("X-Odd : x\r\n")},
      {"a space in a name", w.request("X Odd: x\r\n")},
      {"a control character in a value", w.request("X-Odd: a\x01z\r\n")},
      {"U+0000 in a value", w.request("X-Odd: a\0z\r\n"s)},
      {"a carriage return in a value", w.request("X-Odd: a\rz\r\n")},
      {"a first line that is folded", w.line() + " folded: x\r\n" + rest},
      {"a folded length", w.request("Content-Length: 1\r\n 0\r\n", "0123456789")},
      {"line feeds alone", ask.method + " " + ask.path + " HTTP/1.1\nHost: test\n\n"},
      {"one line feed alone", w.line() + "Host: test\n" + w.headers() + "\r\n"},
  };
}

std::vector<Message> malformed_lengths(const Writer& w) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  std::vector<Message> messages{
      {"a length and chunks", w.request("Content-Length: 5\r\n" + chunked, "0\r\n\r\n")},
      {"chunks and a length", w.request(chunked + "Content-Length: 5\r\n", "0\r\n\r\n")},
      {"two lengths", w.request("Content-Length: 3\r\nContent-Length: 4\r\n", "abc")},
      {"two lengths in one", w.request("Content-Length: 3, 4\r\n", "abc")},
      {"chunks twice", w.request(chunked + chunked, "0\r\n\r\n")},
      {"chunks of gzip", w.request("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {"gzip after chunks", w.request("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n")},
      {"gzip, no chunks", w.request("Transfer-Encoding: gzip\r\n")},
      {"identity", w.request("Transfer-Encoding: identity\r\n")},
      {"chunks of HTTP/1.0", w.line(" HTTP/1.0") + "Connection: keep-alive\r\n" + w.headers() +
                                 chunked + "\r\n0\r\n\r\n"},
      {"an unknown transfer encoding", w.request("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
  };
  for (const std::string length :
       {"-1", "+1", "x", "", "1.0", "0x1", "1 1", "99999999999999999999"})
    messages.push_back(
        {"Content-Length: " + length, w.request("Content-Length: " + length + "\r\n", "x")});
  const std::vector<std::string> chunks{"zz\r\nabc\r\n0\r\n\r\n",
                                        "-1\r\nabc\r\n0\r\n\r\n",
                                        "+3\r\nabc\r\n0\r\n\r\n",
                                        "0x3\r\nabc\r\n0\r\n\r\n",
                                        "1\r\nabc\r\n0\r\n\r\n",
                                        "\r\nabc\r\n0\r\n\r\n",
                                        "3\nabc\n0\n\n",
                                        "fffffffffffffffff\r\nabc",
                                        "3\r\nabc0\r\n\r\n",
                                        "3 \x01\r\nabc\r\n0\r\n\r\n",
                                        "3;a=\"\n\"\r\nabc\r\n0\r\n\r\n",
                                        "3;a=\"\x01\"\r\nabc\r\n0\r\n\r\n",
                                        "3\r\nabc\r\n0;a=\"\x7f\"\r\n\r\n"};
  for (std::size_t i = 0; i < chunks.size(); ++i)
    messages.push_back({std::format("malformed chunks {}", i + 1), w.request(chunked, chunks[i])});
  return messages;
}

std::vector<Message> noise(Trial& trial, const Writer& w) {
  const auto bytes = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text.push_back(static_cast<char>(trial.random()() & 0xff));
    return text;
  };
  std::vector<Message> messages{
      {"a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s + bytes(500)},
      {"an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}};
  for (int i = 0; i < (trial.quick() ? 2 : 100); ++i) {
    messages.push_back({"noise", bytes(1 + trial.random()() % 4000) + "\r\n\r\n"});
    messages.push_back(
        {"noise for headers", w.line() + bytes(1 + trial.random()() % 400) + "\r\n\r\n"});
  }
  return messages;
}

// Expects at most one 400, then a closed connection; the second request must never be processed.
void expect_refusal(Trial& trial, const Message& message) {
  const std::string smuggled = "OPTIONS /zz-smuggled HTTP/1.1\r\nHost: test\r\n\r\n";
  const auto replies = trial.send_raw(message.bytes + smuggled);
  for (const auto& reply : replies) trial.observe(Ask{.path = message.about}, reply);
  if (replies.empty()) {
    trial.check(true, message.about, "", "");
    return;
  }
  trial.check(replies.size() == 1, message.about, "one answer",
              std::format("{} answers, the last {}", replies.size(), replies.back().brief()));
  trial.expect(message.about, replies.front(), 400, "malformed-request");
  trial.check(replies.front().header("connection") == "close", message.about, "Connection: close",
              replies.front().head);
}

void expect_refusals(Trial& trial, const std::vector<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (trial.takes(i)) expect_refusal(trial, messages[i]);
}

// A valid request with a few bytes changed, removed or inserted. It may still be valid, so any
// response below 500 is accepted; a failure, a hang or an exit is not.
void mutated(Trial& trial) {
  Ask ask = trial.request();
  ask.path += "?zzUnknown=1";
  const std::string whole = wire_of(ask);
  for (int i = 0; i < (trial.quick() ? 10 : 300); ++i) {
    std::string bytes = whole;
    for (std::uint64_t changes = 1 + trial.random()() % 4; changes > 0; --changes) {
      const std::size_t at = trial.random()() % bytes.size();
      const char byte = static_cast<char>(trial.random()() & 0xff);
      switch (trial.random()() % 3) {
        case 0:
          bytes[at] = byte;
          break;
        case 1:
          bytes.erase(at, 1 + trial.random()() % 8);
          break;
        default:
          bytes.insert(at, 1, byte);
      }
    }
    for (const auto& reply : trial.send_raw(bytes)) {
      trial.observe(Ask{.path = "mutated"}, reply);
      trial.check(reply.answered() && reply.status < 500, bytes, "a cut, or an answer below 500",
                  reply.brief());
    }
  }
  trial.check(true, "", "", "");
}

// A key in a trailer does not authenticate.
void trailers(Trial& trial) {
  if (!trial.needs_key()) return;
  const Ask ask = trial.request();
  Ask nobody = without_header(ask, "Authorization");
  nobody = with_header(with_header(nobody, "Connection", "close"), "Transfer-Encoding", "chunked");
  const auto key =
      std::ranges::find(ask.headers, "Authorization", &std::pair<std::string, std::string>::first);
  nobody.body = "0\r\nAuthorization: " + key->second + "\r\n\r\n";
  const auto replies = trial.send_raw(wire_of(nobody));
  if (trial.check(replies.size() == 1, "a key in a trailer", "one answer", "another number"))
    trial.expect("a key in a trailer", replies.front(), 401, "unauthorized");
}

void heads(Trial& trial) { expect_refusals(trial, malformed_heads(Writer{trial})); }
void lengths(Trial& trial) { expect_refusals(trial, malformed_lengths(Writer{trial})); }
void binary_noise(Trial& trial) { expect_refusals(trial, noise(trial, Writer{trial})); }

}  // namespace

std::vector<Rule> wire_rules() {
  return {{"bad head", heads},
          {"bad length", lengths},
          {"trailers", trailers},
          {"noise", binary_noise},
          {"mutated", mutated}};
}

}  // namespace shopbell::proofs
