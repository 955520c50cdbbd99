#include "http/wire/problem_answer.h"

#include <algorithm>
#include <format>

#include "json/reading.h"

namespace shopbell::http {

Response problem_answer(const Problem& problem, std::string_view base_path,
                        std::string_view instance, std::string_view request_id) {
  const ProblemKind& kind = kind_of(problem.code());
  json::Writer writer;
  writer.begin_object();
  writer.key("type").text(std::format("{}/problems/{}", base_path, kind.name));
  writer.key("title").text(kind.title);
  writer.key("status").integer(kind.status);
  writer.key("detail").text(problem.detail());
  writer.key("instance").text(instance);
  writer.key("code").text(kind.name);
  writer.key("requestId").text(request_id);
  for (const auto& [name, value] : problem.members()) writer.key(name).json(value);
  if (!problem.faults().empty()) {
    writer.key("errors");
    json::write(writer, problem.faults());
  }
  writer.end();
  return {.status = kind.status,
          .content_type = "application/problem+json",
          .body = writer.finish(),
          .headers = problem.headers()};
}

json::Schema problem_schema() {
  const auto text = [](std::string description) {
    return json::Schema{.type = "string", .description = std::move(description)};
  };
  json::Schema problem{.type = "object",
                       .description = "RFC 9457. Programs read `code`, people read `detail`."};
  problem.members = {{"type", text("Path of the problem's documentation.")},
                     {"title", text("Title of the kind of problem.")},
                     {"status", {.type = "integer"}},
                     {"detail", text("What is wrong with this request.")},
                     {"instance", text("The path of the request.")},
                     {"code", text("Stable name of the kind of problem.")},
                     {"requestId", text("Id of the request in the service's log.")}};
  json::Schema policies{.type = "array", .description = "The rate limits that were exceeded."};
  policies.items = {{.type = "string"}};
  json::Schema contacts{.type = "array",
                        .description = "The contacts that the request's identifiers belong to."};
  contacts.items = {{.type = "string", .format = "uuid"}};
  problem.optional_members = {{"violated-policies", std::move(policies)},
                              {"contactIds", std::move(contacts)},
                              {"errors",
                               {.type = "array",
                                .description = "All faults of the request.",
                                .items = {json::fault_schema()}}}};
  return problem;
}

}  // namespace shopbell::http
