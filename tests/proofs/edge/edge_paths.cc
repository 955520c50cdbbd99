// Paths and methods: existing paths, their encodings, and length limits.
#include <algorithm>
#include <format>
#include <ranges>

#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

std::set<std::string> listed(const std::string& allow) {
  std::set<std::string> methods;
  for (const auto part : std::views::split(allow, ',')) {
    std::string_view name{part};
    while (name.starts_with(' ')) name.remove_prefix(1);
    methods.emplace(name);
  }
  return methods;
}

std::string joined(const std::set<std::string>& methods) {
  return methods | std::views::join_with(std::string{", "}) | std::ranges::to<std::string>();
}

void check_allow(Trial& trial, const std::string& about, const Reply& reply) {
  const auto allowed = trial.world().catalogue.allowed_at(trial.route());
  trial.check(listed(reply.header("allow")) == allowed, about + ": Allow", joined(allowed),
              reply.header("allow"));
}

// A path that cannot belong to any route gets 404, with or without a key.
void expect_no_path(Trial& trial, const std::string& path) {
  const Reply reply = trial.ask({.method = method_of(trial.route()), .path = path});
  trial.expect(path, reply, 404, "path-not-found");
  trial.check(text_member(reply.body, "instance") == path, path + ": instance", path,
              reply.brief());
}

// Expects 404, unless a parameter of some route matches the segment.
void expect_no_path_of(Trial& trial, const std::string& path) {
  if (!trial.world().catalogue.has_path(path)) expect_no_path(trial, path);
}

void wrong_method(Trial& trial) {
  const auto allowed = trial.world().catalogue.allowed_at(trial.route());
  const std::vector<std::string> methods{"GET",    "POST",  "PUT",      "PATCH",
                                         "DELETE", "TRACE", "PROPFIND", "BREW"};
  for (const auto& method : methods) {
    if (allowed.contains(method)) continue;
    const Reply reply = trial.ask({.method = method, .path = missing_path(trial.route())});
    trial.expect(method, reply, 405, "method-not-allowed");
    check_allow(trial, method, reply);
  }
}

void options(Trial& trial) {
  for (const std::string& path :
       {missing_path(trial.route()), other_slash(missing_path(trial.route()))}) {
    const Reply reply = trial.ask({.method = "OPTIONS", .path = path});
    trial.expect("OPTIONS", reply, 204);
    check_allow(trial, "OPTIONS", reply);
  }
}

// Returns the headers without those that contain the time or the request id.
std::set<std::string> lasting_headers(const Reply& reply) {
  std::set<std::string> lines;
  for (const auto part : std::views::split(reply.head, std::string_view{"\r\n"})) {
    const std::string line{std::string_view{part}};
    if (line.empty() || line.starts_with("Date:") || line.starts_with("X-Request-Id:") ||
        line.starts_with("RateLimit"))
      continue;
    lines.insert(line);
  }
  return lines;
}

void head(Trial& trial) {
  if (trial.route().method != operations::Method::get) return;
  auto ask = trial.good_request();
  if (!ask) return;
  RawClient client = trial.connect();
  const auto answer = [&](const std::string& method) {
    ask->method = method;
    client.send(wire_of(*ask));
    Reply reply = client.read(method == "HEAD");
    trial.observe(*ask, reply);
    return reply;
  };
  Reply full;
  Reply bare;
  Reply again;
  // A list may change between two requests, so up to three attempts are made.
  for (int attempt = 0; attempt < 3; ++attempt) {
    full = answer("GET");
    bare = answer("HEAD");
    again = answer("GET");
    if (full.body == again.body) break;
  }
  trial.expect("GET", full, trial.operation().success);
  trial.check(lasting_headers(full) == lasting_headers(bare), "HEAD", full.head, bare.head);
  trial.check(again.status == full.status && again.body == full.body, "GET after HEAD",
              full.brief(), again.brief());
}

void slash(Trial& trial) {
  const std::string path = missing_path(trial.route());
  const std::string other = other_slash(path);
  if (trial.route().method == operations::Method::get) {
    for (const std::string method : {"GET", "HEAD"}) {
      for (const std::string query : {"", "?a=1&b=%20+"}) {
        const Reply reply = trial.ask({.method = method, .path = other + query});
        trial.expect(method + " " + other + query, reply, 308);
        trial.check(reply.header("location") == path + query, method + " Location", path + query,
                    reply.header("location"));
      }
    }
    return;
  }
  const auto essence = [](const Reply& reply) {
    return std::format("{} {}", reply.status,
                       without_members(reply.body, {"requestId", "instance"}));
  };
  Ask ask = trial.request();
  ask.path += "?zzUnknown=1";
  const Reply right = trial.ask(ask);
  ask.path = other + "?zzUnknown=1";
  const Reply wrong = trial.ask(ask);
  trial.check(essence(right) == essence(wrong), "with the other form of the slash", right.brief(),
              wrong.brief());
  if (auto good = trial.good_request()) {
    const auto mark = good->path.find('?');
    const std::string query = mark == std::string::npos ? "" : good->path.substr(mark);
    good->path = other_slash(good->path.substr(0, mark)) + query;
    const Reply served = trial.ask(*good);
    trial.check(served.status >= 200 && served.status < 300,
                "succeeds with the other form of the slash", "2xx", served.brief());
  }
}

// %2F is part of its segment and never separates two.
void encoded_slash(Trial& trial) {
  const Route& route = trial.route();
  const std::string path = missing_path(route);
  const std::string bare = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  expect_no_path_of(trial, bare + "%2F");
  expect_no_path_of(trial, "/%2F" + path.substr(1));
  if (const auto last = bare.rfind('/'); last > 0)
    expect_no_path_of(trial, path.substr(0, last) + "%2F" + path.substr(last + 1));
  if (!has_parameters(route)) return;
  const Ask ask = trial.request_at(
      path_with(route.path, std::vector<std::string>(count_parameters(route), "zz/zz")));
  const Reply reply = trial.ask(ask);
  trial.check(reply.answered() && reply.code() != "path-not-found" && reply.status != 405,
              "%2F in a parameter", "a response of the operation", reply.brief());
}

void plus(Trial& trial) {
  const Route& route = trial.route();
  const auto segments = segments_of(route.path);
  if (!segments.empty() && !is_parameter(segments.front())) {
    std::string path = missing_path(route);
    expect_no_path_of(trial, path.insert(1 + segments.front().size(), "+"));
  }
  if (!has_parameters(route)) return;
  const Reply reply = trial.ask(trial.request_at(
      path_with(route.path, std::vector<std::string>(count_parameters(route), "zz+zz"))));
  trial.check(reply.answered() && reply.code() != "path-not-found" && reply.status < 500,
              "+ in a parameter", "a response of the operation", reply.brief());
  // If the path created an object, the object's id shows how the path was decoded.
  if (reply.status == 201)
    trial.check(reply.body.contains("zz+zz"), "+ in a parameter", "a plus", reply.brief());
}

void bad_escapes(Trial& trial) {
  const std::vector<std::string> wrong{"%00",    "a%00b",     "%",         "%4",           "%zz",
                                       "%%41",   "%u0041",    "%ff",       "%c3",          "%c3%28",
                                       "%c0%af", "%e0%80%af", "%ed%a0%80", "%f5%80%80%80", "%80"};
  const Route& route = trial.route();
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (!trial.takes(i)) continue;
    std::string path;
    for (const auto& segment : segments_of(route.path))
      path += "/" + (is_parameter(segment) ? wrong[i] : segment);
    if (!has_parameters(route)) path += "/" + wrong[i];
    expect_no_path(trial, path);
  }
}

void odd_segments(Trial& trial) {
  const std::string path = missing_path(trial.route());
  std::string upper = path;
  const auto letter = std::ranges::find_if(upper, [](char c) { return c >= 'a' && c <= 'z'; });
  if (letter != upper.end()) *letter = static_cast<char>(*letter & ~0x20);
  const std::string bare = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  expect_no_path_of(trial, upper);
  expect_no_path_of(trial, bare + "/a/b/c/d/e/f/g");
  const std::vector<std::string> odd{"/" + path,         bare + "//",       "/." + path,
                                     "/.." + path,       "/%2e" + path,     "/x/.." + path,
                                     "/x/%2E%2e" + path, bare + "/.",       bare + "/..",
                                     bare + "/%2e",      bare + "/%2e%2e/", bare + "/./"};
  for (std::size_t i = 0; i < odd.size(); ++i)
    if (trial.takes(i)) expect_no_path(trial, odd[i]);
}

void long_path(Trial& trial) {
  Ask ask = trial.request();
  const std::string path = ask.path;
  ask.path = path + std::string(10 * 1024, 'x');
  trial.expect("a path of 10 KB", trial.ask_alone(ask), 414, "path-too-long");
  ask.path = path + "?q=" + std::string(10 * 1024, 'x');
  trial.expect("a query of 10 KB", trial.ask_alone(ask), 414, "path-too-long");
}

void long_headers(Trial& trial) {
  const Ask one = with_header(trial.request(), "X-Long", std::string(64 * 1024, 'x'));
  trial.expect("one header of 64 KB", trial.ask_alone(one), 431, "headers-too-large");
  Ask many = trial.request();
  for (int i = 0; i < 5000; ++i) many.headers.emplace_back(std::format("X-{}", i), "many");
  trial.expect("5,000 headers", trial.ask_alone(many), 431, "headers-too-large");
}

}  // namespace

std::vector<Rule> path_rules() {
  return {{"wrong method", wrong_method},
          {"OPTIONS", options},
          {"HEAD", head},
          {"slash", slash},
          {"%2F", encoded_slash},
          {"plus", plus},
          {"bad escape", bad_escapes},
          {"odd segment", odd_segments},
          {"long path", long_path},
          {"long headers", long_headers}};
}

}  // namespace shopbell::proofs
