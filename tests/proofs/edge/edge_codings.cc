// Tries the encodings of a body: plain, chunked and compressed, up to the size limit, and
// decompression bombs. The operation must read the same body in each encoding.
#include <format>

#include "base/limits.h"
#include "compress/compress.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

using compress::Coding;

constexpr std::size_t kBombBytes = std::size_t{32} * 1024 * 1024;

// Returns JSON with an unknown member, which is read completely and rejected without effect.
std::string harmless_body(const Trial& trial) {
  return with_value(trial.operation().body->example, "/zzUnknown", "1");
}

std::string padded_to(std::string body, std::size_t bytes) {
  body.resize(std::max(bytes, body.size()), ' ');
  return body;
}

Ask coded(Ask ask, Coding coding) {
  ask.body = compress::deflate(coding, ask.body);
  return with_header(std::move(ask), "Content-Encoding", std::string{compress::name_of(coding)});
}

Ask chunked(Ask ask, std::size_t chunk) {
  ask.body = in_chunks(ask.body, chunk);
  return with_header(std::move(ask), "Transfer-Encoding", "chunked");
}

// Sends more than the limit of a body. An upload's limit is too large to send in a trial.
void too_many_bytes(Trial& trial, Ask ask) {
  if (trial.has_upload()) return;
  if (!trial.has_body()) ask.headers.emplace_back("Content-Type", "application/json");
  ask.body = padded_to(ask.body, trial.body_limit() + 1);
  trial.expect("one byte over the limit", trial.ask_alone(ask), 413, "body-too-large");
  trial.expect("one byte over the limit, in chunks", trial.ask_alone(chunked(ask, 65536)), 413,
               "body-too-large");
  trial.expect("one large chunk", trial.ask_alone(chunked(ask, ask.body.size())), 413,
               "body-too-large");
}

void too_large(Trial& trial) {
  Ask ask = trial.request();
  too_many_bytes(trial, ask);
  ask.body.clear();
  for (const std::string& length :
       {std::to_string(trial.wire_limit() + 1), std::string{"9223372036854775807"},
        std::string{"18446744073709551615"}})
    trial.expect("Content-Length: " + length,
                 trial.ask_alone(with_header(ask, "Content-Length", length)), 413,
                 "body-too-large");
  if (!trial.has_body()) return;
  Ask most = trial.request();
  most.body = padded_to(harmless_body(trial), trial.body_limit());
  trial.expect("the maximum size", trial.ask_alone(most), 422, "invalid-body");
  trial.expect("the maximum size, in chunks", trial.ask_alone(chunked(most, 4096)), 422,
               "invalid-body");
}

void bomb(Trial& trial) {
  if (!trial.has_body()) return;
  // The bombs are compressed once, because compressing costs more than rejecting them.
  static const std::string gzip = compress::deflate(Coding::gzip, std::string(kBombBytes, ' '));
  static const std::string zstd = compress::deflate(Coding::zstd, std::string(kBombBytes, ' '));
  static const std::string member = compress::deflate(Coding::gzip, std::string(65536, ' '));
  std::string members;
  for (int i = 0; i < 160; ++i) members += member;
  Ask ask = trial.request();
  const auto expect = [&](const std::string& about, const std::string& coding,
                          const std::string& body) {
    ask.body = body;
    trial.expect(about, trial.ask_alone(with_header(ask, "Content-Encoding", coding)), 413,
                 "body-too-large");
  };
  expect("32 MiB in gzip", "gzip", gzip);
  expect("32 MiB in zstd", "zstd", zstd);
  expect("10 MiB in 160 members of gzip", "gzip", members);
  // This text exceeds the limit without being a bomb, because it hardly compresses.
  std::string text = R"({"zzUnknown":")";
  while (text.size() <= trial.body_limit()) text += std::format("{:016x}", trial.random()());
  expect("slightly over the limit in gzip", "gzip", compress::deflate(Coding::gzip, text + "\"}"));
  expect("one byte over the limit in gzip", "gzip",
         compress::deflate(Coding::gzip, padded_to(harmless_body(trial), trial.body_limit() + 1)));
}

void broken_coding(Trial& trial) {
  if (!trial.has_body()) return;
  const std::string body = harmless_body(trial);
  for (const Coding coding : {Coding::gzip, Coding::zstd}) {
    const std::string whole = compress::deflate(coding, body);
    std::string flipped = whole;
    flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 0x55);
    const std::vector<std::pair<std::string, std::string>> broken{
        {"cut in the middle", whole.substr(0, whole.size() / 2)},
        {"cut by a byte", whole.substr(0, whole.size() - 1)},
        {"only its first bytes", whole.substr(0, 4)},
        {"nothing", ""},
        {"plain", body},
        {"followed by something else", whole + "x"},
        {"with a bit changed", flipped}};
    for (const auto& [about, bytes] : broken) {
      Ask ask =
          with_header(trial.request(), "Content-Encoding", std::string{compress::name_of(coding)});
      ask.body = bytes;
      const Reply reply = trial.ask(ask);
      trial.check(reply.status == 400, std::format("{}: {}", compress::name_of(coding), about),
                  "400", reply.brief());
    }
  }
}

// Expects the same response as for the plain body, for a rejected and an accepted request.
void carried_otherwise(Trial& trial) {
  if (!trial.has_body()) return;
  const auto carried = [](const Ask& ask) {
    return std::vector<std::pair<std::string, Ask>>{
        {"gzip", coded(ask, Coding::gzip)},
        {"zstd", coded(ask, Coding::zstd)},
        {"chunks of one byte", chunked(ask, 1)},
        {"chunks of 100 bytes", chunked(ask, 100)},
        {"gzip in chunks", chunked(coded(ask, Coding::gzip), 7)},
        {"GZIP", with_header(coded(ask, Coding::gzip), "Content-Encoding", "GZIP")}};
  };
  Ask refused = trial.request();
  refused.body = harmless_body(trial);
  const Reply plain = trial.ask(refused);
  trial.expect("plain", plain, 422, "invalid-body");
  for (const auto& [how, ask] : carried(refused)) {
    const Reply reply = trial.ask(ask);
    trial.check(
        without_members(reply.body, {"requestId"}) == without_members(plain.body, {"requestId"}),
        how + ": a refused body", plain.brief(), reply.brief());
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const auto good = trial.good_request();
    if (!good) return;
    const auto [how, ask] = carried(*good)[i];
    const Reply reply = trial.ask(ask);
    trial.check(reply.status >= 200 && reply.status < 300, how + ": a good body", "2xx",
                reply.brief());
  }
}

}  // namespace

std::vector<Rule> coding_rules() {
  return {{"too large", too_large},
          {"bomb", bomb},
          {"broken coding", broken_coding},
          {"gzip, chunks", carried_otherwise}};
}

}  // namespace shopbell::proofs
