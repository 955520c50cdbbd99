#include "automation/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <stdexcept>

#include "json/document.h"
#include "json/writer.h"

namespace shopbell::automation {

namespace {

// Calls each(parts) for every line, split at its tabs.
template <std::size_t Parts, class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::array<std::string_view, Parts> parts;
    for (auto& part : parts) {
      const auto tab = std::min(line.find('\t'), line.size());
      part = line.substr(0, tab);
      line.remove_prefix(std::min(tab + 1, line.size()));
    }
    each(parts);
  }
}

}  // namespace

std::string seen_to_text(const std::set<std::pair<std::string, std::string>>& seen) {
  std::string text;
  for (const auto& [node, edge] : seen) text.append(node).append("\t").append(edge).append("\n");
  return text;
}

std::set<std::pair<std::string, std::string>> seen_from_text(std::string_view text) {
  std::set<std::pair<std::string, std::string>> seen;
  for_each_line<2>(text, [&](const auto& parts) {
    seen.emplace_hint(seen.end(), std::string{parts[0]}, std::string{parts[1]});
  });
  return seen;
}

std::string trail_to_text(const std::vector<engine::TrailStep>& trail) {
  std::string text;
  for (const auto& step : trail)
    text += step.node + '\t' + step.edge + '\t' +
            std::to_string(step.at.time_since_epoch().count()) + '\t' + step.cause + '\n';
  return text;
}

std::vector<engine::TrailStep> trail_from_text(std::string_view text) {
  std::vector<engine::TrailStep> trail;
  for_each_line<4>(text, [&](const auto& parts) {
    std::int64_t at = 0;
    std::from_chars(parts[2].begin(), parts[2].end(), at);
    trail.push_back({.node = std::string{parts[0]},
                     .edge = std::string{parts[1]},
                     .at = Instant{std::chrono::microseconds{at}},
                     .cause = std::string{parts[3]}});
  });
  return trail;
}

std::optional<std::string> data_to_json(const engine::Run& run) {
  if (!run.item && run.variables.empty() && run.subjects.empty() && run.coupons.empty())
    return std::nullopt;
  json::Writer writer;
  writer.begin_object();
  if (run.item) writer.key("item").json(run.item.json());
  if (!run.variables.empty()) {
    writer.key("variables").begin_object();
    for (const auto& [name, value] : run.variables) writer.key(name).json(value.json());
    writer.end();
  }
  if (!run.subjects.empty()) {
    writer.key("subjects").begin_list();
    for (const auto& subject : run.subjects) writer.text(subject);
    writer.end();
  }
  if (!run.coupons.empty()) {
    writer.key("coupons").begin_list();
    for (const auto& coupon : run.coupons)
      writer.begin_object()
          .key("claim")
          .text(coupon.claim.to_string())
          .key("variable")
          .text(coupon.variable)
          .key("sent")
          .boolean(coupon.sent)
          .end();
    writer.end();
  }
  return writer.end().finish();
}

void read_data(std::string_view json, engine::Run& run) {
  const auto document = json::Document::parse(json);
  if (!document) throw std::logic_error{"the data of a run are not JSON"};
  const json::Value root = document->root();
  if (const auto item = root.member("item")) run.item = engine::Data{item->to_json()};
  if (const auto variables = root.member("variables"))
    variables->for_each([&](std::string_view name, const json::Value& value) {
      run.variables.emplace(name, engine::Data{value.to_json()});
    });
  if (const auto subjects = root.member("subjects"))
    subjects->for_each([&](std::string_view, const json::Value& subject) {
      run.subjects.emplace_back(subject.text());
    });
  if (const auto coupons = root.member("coupons"))
    coupons->for_each([&](std::string_view, const json::Value& coupon) {
      run.coupons.push_back({.claim = Uuid::parse(coupon.member("claim")->text()).value(),
                             .variable = std::string{coupon.member("variable")->text()},
                             .sent = coupon.member("sent")->boolean()});
    });
}

engine::RunState run_state_of(std::string_view name) {
  using State = engine::RunState;
  for (const State state : {State::open, State::held, State::parked, State::done, State::ended})
    if (engine::name_of(state) == name) return state;
  throw std::logic_error{"a run has an unknown state"};
}

}  // namespace shopbell::automation
