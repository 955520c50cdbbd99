// Many clients create, delete, merge and replace contacts, products and purchases over two
// processes, while one keeps a copy of the store by incremental exports (`since`). At the end the
// copy equals a full export.
#include <format>
#include <map>
#include <random>

#include "json/document.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/client_group.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

constexpr std::array<std::string_view, 3> kTypes{"contacts", "products", "purchases"};
constexpr std::size_t kPeople = 400;
constexpr std::size_t kThings = 300;

using Rows = std::map<std::string, std::string>;  // the key of each row → the rest of its line

struct Copy {
  Rows rows;
  std::string watermark;
  std::size_t changed = 0;
  std::size_t deleted = 0;
};

class Since {
 public:
  explicit Since(const Setting& setting)
      : clients_{setting, "Since"},
        writes_{setting.quick ? 1500U : 100'000U},
        exports_least_{setting.quick ? 4U : 50U},
        left_{writes_} {}

  Verdict run() {
    std::vector<Job> jobs{[this](HttpClient& client) { return keep_copies(client); }};
    for (std::size_t i = 0; i < writes_; ++i)
      jobs.push_back([this, choice = clients_.random()()](HttpClient& client) {
        return write(client, choice);
      });
    clients_.run("since", std::move(jobs));
    std::size_t rows = 0;
    std::size_t changed = 0;
    std::size_t deleted = 0;
    for (const auto& [type, copy] : copies_) {
      rows += copy.rows.size();
      changed += copy.changed;
      deleted += copy.deleted;
    }
    return clients_.verdict(
        std::format("2 processes, {} writes ({} accepted) by 47 clients, {} incremental exports: "
                    "{} rows, {} of them deleted, {} rows at the end, equal to a full export",
                    writes_, taken_, exports_, changed, deleted, rows));
  }

 private:
  // Deletes, merges and replaces a few objects, so that writes collide.
  asio::awaitable<void> write(HttpClient& client, std::uint64_t choice) {
    const Ask ask = write_of(choice);
    const Answer answer = co_await insist(client, ask);
    const bool refused = answer.status == 404 || answer.status == 409 || answer.status == 422;
    if (answer.status >= 200 && answer.status < 300)
      ++taken_;
    else if (!refused)
      clients_.wrong(std::format("{} {}", ask.method, status_and_code(answer)));
    --left_;
  }

  static Ask write_of(std::uint64_t choice) {
    const std::uint64_t number = choice >> 8;
    const std::string person = std::format("p{}", number % kPeople);
    const std::string thing = std::format("t{}", number % kThings);
    const int what = static_cast<int>(choice % 100);
    if (what < 40)
      return {.method = "PATCH",
              .path = external_id_path(person) + "?createContact=true",
              .body = std::format(R"({{"firstName":"n{}","tags":["{}"]}})", number,
                                  number % 3 == 0 ? "in" : "out"),
              .headers = {{"Content-Type", "application/json"}}};
    if (what < 47) return {.method = "DELETE", .path = external_id_path(person)};
    if (what < 52)
      return {.method = "PATCH",
              .path = external_id_path(person) + "?mergeContacts=true",
              .body = std::format(R"({{"externalId":"p{}"}})", number / 7 % kPeople),
              .headers = {{"Content-Type", "application/json"}}};
    if (what < 65)
      return {.method = "PATCH",
              .path = "/products/product-id/" + thing,
              .body = std::format(R"({{"name":"n{}","url":"https://x.example/"}})", number),
              .headers = {{"Content-Type", "application/json"}}};
    if (what < 70) return {.method = "DELETE", .path = "/products/product-id/" + thing};
    if (what < 95)
      return {
          .method = "POST",
          .path = "/purchases/?ifExists=replace&createContact=true",
          .body = std::format(
              R"({{"purchaseId":"{}","contact":{{"externalId":"{}"}},"currency":"EUR","total":{},)"
              R"("lines":[{{"quantity":1}}]}})",
              thing, person, number % 1000),
          .headers = {{"Content-Type", "application/json"}}};
    return {.method = "DELETE", .path = "/purchases/purchase-id/" + thing};
  }

  asio::awaitable<void> keep_copies(HttpClient& client) {
    while (true) {
      const bool last = left_ == 0 && exports_ >= exports_least_;
      for (const auto type : kTypes) co_await refresh(client, type);
      if (last) break;
    }
    for (const auto type : kTypes) {
      Copy whole;
      co_await take(client, type, whole);
      compare(std::string{type}, copies_[std::string{type}].rows, whole.rows);
    }
  }

  void compare(const std::string& type, const Rows& copy, const Rows& whole) {
    for (const auto& [key, line] : whole) {
      const auto kept = copy.find(key);
      clients_.expect(kept != copy.end(), type + " missed");
      if (kept != copy.end())
        clients_.expect(kept->second == line,
                        std::format("{} stale: {} / {}", type, kept->second, line));
    }
    for (const auto& [key, line] : copy)
      clients_.expect(whole.contains(key), type + " kept although deleted: " + line);
  }

  asio::awaitable<void> refresh(HttpClient& client, std::string_view type) {
    co_await take(client, type, copies_[std::string{type}]);
    ++exports_;
  }

  asio::awaitable<void> take(HttpClient& client, std::string_view type, Copy& copy) {
    const std::string since =
        copy.watermark.empty() ? "" : std::format(R"(,"since":"{}")", copy.watermark);
    const std::string tags = type == "contacts" ? R"("tags":["in"])" : "";
    const std::string filters = tags.empty() && !since.empty() ? since.substr(1) : tags + since;
    const Answer made = co_await insist(
        client, {.method = "POST",
                 .path = "/exports/",
                 .body = std::format(R"({{"type":"{}","format":"ndjson","filters":{{{}}}}})", type,
                                     filters),
                 .headers = {{"Content-Type", "application/json"}}});
    if (made.status != 201) co_return clients_.wrong("POST /exports/ " + status_and_code(made));
    const std::string path = "/exports/" + member_of(made, "id");
    Answer shown;
    for (int i = 0; i < 600 && member_of(shown, "status") != "finished"; ++i) {
      co_await runtime::sleep_for(50ms);
      shown = co_await insist(client, {.path = path});
    }
    const Answer file = co_await insist(client, {.path = member_of(shown, "fileUrl")});
    if (file.status != 200) co_return clients_.wrong("a file: " + status_and_code(file));
    apply(type, file.body, copy);
    copy.watermark = member_of(shown, "watermark");
    co_await insist(client, {.method = "DELETE", .path = path});
  }

  void apply(std::string_view type, std::string_view text, Copy& copy) {
    const std::string_view key_name = type == "contacts"   ? "id"
                                      : type == "products" ? "productId"
                                                           : "purchaseId";
    while (!text.empty()) {
      const auto end = text.find('\n');
      std::string line{text.substr(0, end)};
      text.remove_prefix(end + 1);
      const auto document = json::Document::parse(line);
      if (!document) return clients_.wrong("a line is not JSON: " + line);
      const std::string key{document->root().member(key_name)->text()};
      const auto gone = document->root().member("deleted");
      if (gone) ++copy.changed;
      if (gone && gone->boolean()) {
        ++copy.deleted;
        copy.rows.erase(key);
        continue;
      }
      constexpr std::string_view kKept = R"(,"deleted":false})";
      if (line.ends_with(kKept)) line = line.substr(0, line.size() - kKept.size()) + "}";
      copy.rows[key] = line;
    }
  }

  ClientGroup clients_;
  const std::size_t writes_;
  const std::size_t exports_least_;
  std::size_t left_;
  std::size_t taken_ = 0;
  std::size_t exports_ = 0;
  std::map<std::string, Copy> copies_;
};

}  // namespace

Verdict since(const Setting& setting) { return Since{setting}.run(); }

}  // namespace shopbell::proofs
