#include "tests/proofs/actors/maker.h"

#include <algorithm>
#include <format>
#include <ranges>
#include <set>
#include <thread>

#include "json/document.h"
#include "tests/proofs/actors/bodies.h"

namespace shopbell::proofs {

namespace {

using operations::Method;

// Returns the segments of the route's path without /manage/, which shows the same objects to users
// of the console.
std::vector<std::string> place_of(const Route& route) {
  auto segments = segments_of(route.path);
  if (!segments.empty() && segments.front() == "manage") segments.erase(segments.begin());
  return segments;
}

std::string root_of(const Route& route) {
  const auto segments = place_of(route);
  return segments.empty() ? "" : segments.front();
}

bool creates(const Route& route) {
  return (route.description.body || route.description.upload) &&
         (route.description.success == 201 || route.description.may_create) &&
         route.description.located && route.method == Method::post;
}

bool creates_by_patch(const Route& route) {
  return route.description.body && route.method == Method::patch &&
         is_parameter(place_of(route).back()) &&
         (route.description.success == 201 || route.description.may_create ||
          !creating_query(route).empty());
}

// Returns true if the route's path is the collection's path and one parameter.
bool is_member_of(const Route& route, const Route& collection) {
  const auto member = place_of(route);
  const auto parent = place_of(collection);
  if (member.size() <= parent.size() || !is_parameter(member[parent.size()])) return false;
  return std::ranges::equal(parent, std::span{member}.first(parent.size()),
                            [](const std::string& a, const std::string& b) {
                              return a == b || (is_parameter(a) && is_parameter(b));
                            });
}

// Converts a path segment to a member name: "purchase-id" → "purchaseId".
std::string camel(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '-' && i + 1 < name.size()) {
      result.push_back(static_cast<char>(name[++i] & ~0x20));
    } else {
      result.push_back(name[i]);
    }
  }
  return result;
}

// Returns the singular: "custom-events" → "custom-event", which is sent for a custom-event-type.
std::string singular(std::string name) {
  if (name.ends_with('s')) name.pop_back();
  return name;
}

// Returns the values of the template's parameters in `location`; nullopt if it does not match.
std::optional<std::vector<std::string>> values_in(const std::string& location, const Route& route) {
  auto asked = segments_of(location);
  if (!asked.empty() && asked.front() == "manage") asked.erase(asked.begin());
  const auto known = place_of(route);
  if (asked.size() != known.size()) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (is_parameter(known[i])) {
      values.push_back(asked[i]);
    } else if (known[i] != asked[i]) {
      return std::nullopt;
    }
  }
  return values;
}

// Adapts the example body: some operations require an object of another kind than the example's.
std::string fitted(const Route& route, std::string body) {
  if (!route.path.starts_with("/manage/custom-event-types/") ||
      !route.path.ends_with("/rotate-secret"))
    return body;
  body = with_value(body, "/direction", R"("send")");
  body = with_value(body, "/url", R"("https://shop.example/in")");
  return with_value(body, "/alias", "null");
}

// Returns the object's value for a path parameter that Location does not contain. It is the member
// named after the segment before the parameter, or after the parameter, or the id.
std::optional<std::string> value_for(const std::vector<std::string>& segments, std::size_t at,
                                     const std::string& answer) {
  const std::string parameter = segments[at].substr(1, segments[at].size() - 2);
  const std::string before = at > 0 ? camel(segments[at - 1]) : "";
  for (const std::string& name : {before, parameter, std::string{"id"}}) {
    if (const auto value = text_member(answer, name)) return value;
  }
  return std::nullopt;
}

std::string marked(const std::string& text, const std::string& mark) {
  const auto at = text.find('@');
  return at == std::string::npos ? text + mark : text.substr(0, at) + mark + text.substr(at);
}

// True for runs, and for what only a workflow with people in it shows.
bool shows_runs(const Route& route) {
  static const std::set<std::string> parts{"numbers", "why", "draft/moves"};
  const std::string one = "/manage/workflows/{id}/";
  return route.path.starts_with("/manage/runs/") ||
         (route.path.starts_with(one) && parts.contains(route.path.substr(one.size())));
}

}  // namespace

Ask request_of(const Route& route, const std::string& path, const std::string& key) {
  Ask ask{.method = method_of(route), .path = path};
  if (!key.empty()) ask.headers.emplace_back("Authorization", "Bearer " + key);
  if (route.description.body) {
    ask.headers.emplace_back("Content-Type", "application/json");
    // The example of publishing maps nodes of an earlier version, which a new workflow lacks.
    ask.body = route.description.id == "publishWorkflow" ? "{}" : route.description.body->example;
  }
  if (route.description.upload) {
    ask.headers.emplace_back("Content-Type", kFormType);
    ask.body = form_of(*route.description.upload, "proof.csv");
  }
  return ask;
}

std::vector<std::string> naming_members(const Route& route) {
  std::vector<std::string> names;
  if (!route.description.body) return names;
  for (const auto& [name, member] : route.description.body->schema.members) {
    if (member.format == "uuid") names.push_back(name);
  }
  return names;
}

const Route* Maker::creator_of(const Route& route) const {
  const Route* best = nullptr;
  const auto prefer = [&](const Route& candidate) {
    if (best == nullptr || place_of(candidate).size() > place_of(*best).size()) best = &candidate;
  };
  for (const auto& candidate : catalogue_.routes())
    if (creates(candidate) && is_member_of(route, candidate)) prefer(candidate);
  if (best != nullptr) return best;
  for (const auto& candidate : catalogue_.routes())
    if (creates(candidate) && root_of(candidate) == root_of(route) && !has_parameters(candidate))
      return &candidate;
  const Route* patch = catalogue_.sibling(route, Method::patch);
  if (patch != nullptr && creates_by_patch(*patch)) return patch;
  for (const auto& candidate : catalogue_.routes())
    if (creates_by_patch(candidate) && root_of(candidate) == root_of(route)) return &candidate;
  for (const auto& candidate : catalogue_.routes()) {
    const auto collection = place_of(candidate);
    if (creates(candidate) && &candidate != &route && !is_parameter(collection.back()) &&
        collection.back().starts_with(singular(root_of(route))))
      return &candidate;
  }
  return nullptr;
}

std::string Maker::next_mark(const std::string& prefix) {
  return std::format("{}{}", prefix, marks_.fetch_add(1));
}

std::string Maker::marked_body(const Account& account, const Route& route, const std::string& path,
                               const std::string& mark) {
  if (route.description.upload) return form_of(*route.description.upload, mark + ".csv");
  if (!route.description.body) return {};
  const std::string& example = route.description.body->example;
  const auto marked_with = [&](const std::set<std::string>& fixed) {
    std::string body = example;
    // Only the filters of an export accept a string of the store's own.
    if (route.path == "/exports/")
      body = with_value(body, "/filters", std::format(R"({{"tags":["{}"]}})", mark));
    if (route.path == "/exports/type/data-explorer") {
      body = with_value(body, "/report", R"("products-sold")");
      body = with_value(body, "/filters", std::format(R"({{"productIds":["{}"]}})", mark));
    }
    for (const auto& [name, value] : text_members(example)) {
      if (!fixed.contains(name))
        body = with_value(body, "/" + name, json_text(marked(value, mark)));
    }
    return body;
  };
  {
    const std::scoped_lock lock{mutex_};
    if (learnt_.contains(&route)) return marked_with(fixed_[&route]);
  }
  // Finds the strings of the example that may be changed, by trying. An unknown member makes every
  // attempt fail, so it has no effect; other faults are reported along with it.
  std::set<std::string> fixed;
  for (int attempt = 0; attempt < 6; ++attempt) {
    Ask ask = request_of(route, path, account.key);
    ask.path += creating_query(route);
    ask.body = with_value(marked_with(fixed), "/zzUnknown", "1");
    const Reply reply = send_(ask);
    std::size_t learnt = 0;
    for (const auto& fault : faults_of(reply.body)) {
      const std::string name = fault.at.substr(std::min<std::size_t>(1, fault.at.size()));
      if (name != "zzUnknown" && fixed.insert(name.substr(0, name.find('/'))).second) ++learnt;
    }
    if (learnt == 0) break;
  }
  const std::scoped_lock lock{mutex_};
  learnt_.insert(&route);
  fixed_[&route] = fixed;
  return marked_with(fixed);
}

std::optional<Maker::Made> Maker::create(const Account& account, const Route& creator,
                                         const std::string& mark,
                                         const std::optional<std::string>& body,
                                         const Route* wanted) {
  Made made;
  std::string path = creator.path;
  if (creates_by_patch(creator)) {
    // The path itself names the new object, so the mark is its id.
    made.parents = {creator.path.contains("mail") ? mark + "@example.com" : mark};
    path = path_with(creator.path, made.parents);
  } else if (has_parameters(creator)) {
    const auto parent = make(account, creator, mark);
    if (!parent) return std::nullopt;
    made.parents = parent->values;
    path = parent->path;
  }
  made.ask = request_of(creator, path + creating_query(creator), account.key);
  made.ask.body = body ? *body : marked_body(account, creator, path, mark);
  if (wanted != nullptr) made.ask.body = fitted(*wanted, made.ask.body);
  made.reply = send_(made.ask);
  if (made.reply.status >= 200 && made.reply.status < 300) return made;
  note(std::format("{} {} rejects its own example: {}", made.ask.method, creator.path,
                   made.reply.brief()));
  return std::nullopt;
}

std::optional<Object> Maker::object_from(const Route& route, const Route& creator,
                                         const Made& made) {
  Object object{
      .etag = made.reply.header("etag"), .answer = made.reply.body, .sent = made.ask.body};
  if (const auto values = values_in(made.reply.header("location"), route)) {
    object.values = *values;
  } else {
    const auto segments = segments_of(route.path);
    const auto of_creator = segments_of(creator.path);
    std::size_t parent = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!is_parameter(segments[i])) continue;
      if (i < of_creator.size() && of_creator[i] == segments[i] && parent < made.parents.size()) {
        object.values.push_back(made.parents[parent++]);
        continue;
      }
      const auto value = value_for(segments, i, made.reply.body);
      if (!value) return std::nullopt;
      object.values.push_back(*value);
    }
  }
  object.path = path_with(route.path, object.values);
  return object;
}

// Returns an object that no operation creates but a list shows, such as the explanation of a
// problem.
std::optional<Object> Maker::listed(const Account& account, const Route& route) {
  for (const auto& list : catalogue_.routes()) {
    if (list.method != Method::get || has_parameters(list) || !is_member_of(route, list)) continue;
    const Reply reply =
        send_(request_of(list, list.path, list.access.needs_key() ? account.key : ""));
    const auto document = json::Document::parse(reply.body);
    if (!document) continue;
    const auto data = document->root().member("data");
    if (!data) continue;
    std::string first;
    data->for_each([&](std::string_view, const json::Value& item) {
      if (first.empty()) first = item.to_json();
    });
    const auto segments = segments_of(route.path);
    const auto value = value_for(segments, segments.size() - 1, first);
    if (value)
      return Object{.path = path_with(route.path, {*value}), .values = {*value}, .answer = first};
  }
  return std::nullopt;
}

// Creates an export and returns its file; the export's response contains the link.
std::optional<Object> Maker::file_of(const Account& account, const std::string& mark) {
  const auto shown = std::ranges::find_if(catalogue_.routes(), [](const Route& route) {
    return route.method == Method::get && route.path == "/exports/{id}";
  });
  const auto exported = make(account, *shown, mark);
  if (!exported) return std::nullopt;
  const Reply reply = send_(request_of(*shown, exported->path, account.key));
  const auto link = text_member(reply.body, "fileUrl");
  if (!link) return std::nullopt;
  const auto segments = segments_of(*link);
  return Object{.path = *link, .values = {segments[1], segments[2]}};
}

// Waits for the job to finish, because its object changes on every read until then.
void Maker::await_job(const Account& account, const Route& route, const Object& object) {
  for (int i = 0; i < 400; ++i) {
    const Reply reply = send_(request_of(route, object.path, account.key));
    const auto status = text_member(reply.body, "status");
    if (status != "queued" && status != "inProgress") return;
    std::this_thread::sleep_for(std::chrono::milliseconds{25});
  }
}

std::optional<Object> Maker::make(const Account& account, const Route& route,
                                  const std::string& mark) {
  if (shows_runs(route)) return run_of(account, route, mark);
  if (!has_parameters(route)) return Object{.path = route.path};
  if (route.path.starts_with("/files/")) return file_of(account, mark);
  if (route.path.starts_with("/manage/rejected-events/")) return rejected_of(account, route, mark);
  const Route* creator = creator_of(route);
  std::optional<Object> object;
  if (creator != nullptr && creator != &route) {
    const auto made = create(account, *creator, mark, std::nullopt, &route);
    if (made) object = object_from(route, *creator, *made);
  } else if (creator == &route) {
    const auto made = create(account, route, mark, std::nullopt);
    if (made)
      object = Object{.path = path_with(route.path, made->parents),
                      .values = made->parents,
                      .etag = made->reply.header("etag"),
                      .answer = made->reply.body,
                      .sent = made->ask.body};
  }
  if (!object) object = listed(account, route);
  if (!object) note(std::format("no operation creates the object of {}", route.path));
  if (object && route.method == Method::get &&
      (route.path == "/exports/{id}" || route.path == "/imports/{id}"))
    await_job(account, route, *object);
  return object;
}

std::optional<Object> Maker::make_from(const Account& account, const Route& route,
                                       const std::string& body) {
  const Route* creator = creator_of(route);
  if (!has_parameters(route)) return Object{.path = route.path};
  if (creator == nullptr) return std::nullopt;
  const auto made = create(account, *creator, next_mark("same"), body);
  return made ? object_from(route, *creator, *made) : std::nullopt;
}

std::optional<Ask> Maker::good_request(const Account& account, const Route& route,
                                       const std::string& mark) {
  const auto object = make(account, route, mark);
  if (!object) return std::nullopt;
  Ask ask = request_of(route, object->path, route.access.needs_key() ? account.key : "");
  ask.path += creating_query(route);
  if (creates(route)) ask.body = marked_body(account, route, object->path, mark);
  if (route.path.ends_with("/redeliver")) {
    ask.body = with_value(ask.body, "/id", json_text(trial_of(account, object->path)));
  } else if (!name_others(account, route, ask.body)) {
    return std::nullopt;
  }
  return ask;
}

bool Maker::name_others(const Account& account, const Route& route, std::string& body) {
  for (const auto& name : naming_members(route)) {
    const auto shown = std::ranges::find_if(catalogue_.routes(), [&](const Route& candidate) {
      return candidate.method == Method::get && root_of(candidate) == root_of(route) &&
             place_of(candidate).back() == "{id}";
    });
    const auto other = shown == catalogue_.routes().end()
                           ? std::nullopt
                           : make(account, *shown, next_mark("other"));
    if (!other) return false;
    body = with_value(body, "/" + name, json_text(other->values.back()));
  }
  return true;
}

std::vector<std::string> Maker::troubles() {
  const std::scoped_lock lock{mutex_};
  return {troubles_.begin(), troubles_.end()};
}

void Maker::note(std::string trouble) {
  const std::scoped_lock lock{mutex_};
  troubles_.insert(std::move(trouble));
}

}  // namespace shopbell::proofs
