#include "http/wire/parameters.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

const operations::Description kOperation{
    .parameters = {{"limit", "", {.type = "integer", .minimum = 1, .maximum = 500}},
                   {"order", "", {.type = "string", .options = {"asc", "desc"}}},
                   {"after", "", {.type = "string", .format = "date-time"}},
                   {"flag", "", {.type = "boolean"}}}};

// "code: parameter fault …", or "" if the query is valid.
std::string refusal(std::string query) {
  const Request request{.target = "/x?" + std::move(query)};
  try {
    read_parameters(request, kOperation);
    return "";
  } catch (const Problem& problem) {
    std::string text = kind_of(problem.code()).name + ":";
    for (const auto& fault : problem.faults()) text += " " + fault.at + " " + fault.code;
    return text;
  }
}

TEST(Parameters, are_accepted_as_declared) {
  EXPECT_EQ(refusal("limit=500&order=asc&after=2026-01-01T00:00:00%2B01:00&flag=true"), "");
  EXPECT_EQ(refusal(""), "");
}

TEST(Parameters, with_faults_are_all_reported_at_once) {
  EXPECT_EQ(refusal("limit=0&order=up&after=today&flag=1"),
            "invalid-parameter: limit out-of-range order not-an-option after invalid-format flag "
            "wrong-type");
  EXPECT_EQ(refusal("limit=1&limit=2"), "invalid-parameter: limit duplicate");
  EXPECT_EQ(refusal("limit=x&createContacts=true"),
            "unknown-parameter: limit wrong-type createContacts unknown-parameter");
  EXPECT_EQ(refusal("limit=%zz"), "invalid-parameter:");
  EXPECT_EQ(refusal("limit="), "invalid-parameter: limit wrong-type");
}

}  // namespace
}  // namespace shopbell::http
