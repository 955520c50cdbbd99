// Tries every rule of the HTTP edge on every operation of the route table. Wrong requests get the
// right status and code, and no input ends the process. New routes are covered automatically,
// because they are in the table.
#include "tests/proofs/edge/edge.h"

#include <algorithm>
#include <format>
#include <future>
#include <print>
#include <thread>

#include "base/limits.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using Trials = std::vector<std::unique_ptr<Trial>>;

constexpr int kThreads = 6;
// libpq's socket, and the duplicate that the event loop watches.
constexpr std::size_t kDescriptorsPerSession = 2;

struct Cell {
  enum class State { untried, holds, wrong };
  State state = State::untried;
  std::vector<Finding> findings;
};

Cell cell_of(std::size_t checks, const std::vector<Finding>& findings) {
  if (!findings.empty()) return {Cell::State::wrong, findings};
  return {checks == 0 ? Cell::State::untried : Cell::State::holds, {}};
}

// The results by column (rule), with one cell per route.
struct Matrix {
  std::vector<std::string> rules;
  std::vector<std::vector<Cell>> columns;

  void add(std::string rule, std::vector<Cell> cells) {
    rules.push_back(std::move(rule));
    columns.push_back(std::move(cells));
  }
  std::size_t count(Cell::State state) const {
    std::size_t sum = 0;
    for (const auto& column : columns)
      sum += static_cast<std::size_t>(std::ranges::count(column, state, &Cell::state));
    return sum;
  }
};

void print(const std::vector<Finding>& findings) {
  for (const auto& finding : findings)
    std::println("✗ {} × {}\n    case      {}\n    expected  {}\n    got       {}",
                 finding.operation, finding.rule, printable(finding.about),
                 printable(finding.expected), printable(finding.got));
}

// Prints the rules vertically above their columns.
void print(const Matrix& matrix, const std::vector<Route>& routes) {
  std::size_t longest_rule = 0;
  std::size_t longest_name = 0;
  for (const auto& rule : matrix.rules) longest_rule = std::max(longest_rule, rule.size());
  for (const auto& route : routes)
    longest_name = std::max(longest_name, route.description.id.size());
  for (std::size_t line = 0; line < longest_rule; ++line) {
    std::string text(longest_name, ' ');
    for (const auto& rule : matrix.rules) {
      const std::size_t above = longest_rule - rule.size();
      text += std::format(" {}", line < above ? ' ' : rule[line - above]);
    }
    std::println("{}", text);
  }
  for (std::size_t row = 0; row < routes.size(); ++row) {
    std::string text = std::format("{:<{}}", routes[row].description.id, longest_name);
    for (const auto& column : matrix.columns) {
      const Cell::State state = column[row].state;
      text += state == Cell::State::holds ? " ✓" : state == Cell::State::wrong ? " ✗" : " –";
    }
    std::println("{}", text);
  }
}

class Edge {
 public:
  explicit Edge(const Setting& setting) : setting_{setting}, stage_{setting} {
    stage_.start_process();
    for (const auto& part : {key_rules(), path_rules(), query_rules(), body_rules(), coding_rules(),
                             wire_rules(), header_rules(), order_rules(), connection_rules()})
      rules_.insert(rules_.end(), part.begin(), part.end());
  }

  Verdict run() {
    warm_up();
    // The connections of slow clients are open now and will be closed at the end.
    const std::size_t slow = routes().size() * (setting_.quick ? 1 : 2);
    Descriptors before = descriptors();
    before.others -= slow;
    for (std::size_t i = 0; i < routes().size(); ++i)
      records_.push_back(std::make_unique<RouteRecord>());
    try_everything();
    world_.clients.close_all();
    const std::string health = health_fault(before);
    std::println("{}", view());
    print(matrix_, routes());
    for (const auto& column : matrix_.columns)
      for (const auto& cell : column) print(cell.findings);
    print(throttled_);
    for (const auto& trouble : world_.maker.troubles()) std::println("✗ {}", printable(trouble));
    return verdict(health, before);
  }

 private:
  const std::vector<Route>& routes() const { return catalogue_.routes(); }

  std::string view() const {
    return std::format("{} operations × {} rules: ✓ holds, ✗ wrong, – not applicable\n",
                       routes().size(), matrix_.rules.size());
  }

  // Opens each event loop's database connection before descriptors are counted.
  void warm_up() {
    for (std::size_t process = 0; process < stage_.processes(); ++process) {
      for (int i = 0; i < 20; ++i) {
        RawClient client{stage_.host_port(process)};
        client.send(wire_of(world_probe()));
        client.read();
      }
    }
    std::this_thread::sleep_for(200ms);
  }

  Ask world_probe() const {
    const auto keyed =
        std::ranges::find_if(routes(), [](const Route& route) { return route.access.needs_key(); });
    Ask ask = request_of(*keyed, missing_path(*keyed), world_.common.live.key);
    ask.path += "?zzUnknown=1";
    return ask;
  }

  // PostgreSQL connections are opened on demand and kept, so they are checked against their
  // maximum. All other descriptors are checked for leaks.
  struct Descriptors {
    std::size_t others = 0;
    std::size_t to_database = 0;
    std::multiset<std::string> names;
  };

  Descriptors descriptors() {
    std::multiset<std::string> names;
    for (std::size_t i = 0; i < stage_.processes(); ++i)
      names.merge(stage_.process(i).open_descriptors());
    const std::size_t to_database = stage_.connections_to_database();
    return {.others = names.size() - kDescriptorsPerSession * to_database,
            .to_database = to_database,
            .names = names};
  }

  std::string descriptors_fault(const Descriptors& before) {
    const Descriptors now = descriptors();
    if (now.others > before.others) {
      std::vector<std::string> added;
      std::ranges::set_difference(now.names, before.names, std::back_inserter(added));
      std::string fault = "descriptors leaked:";
      for (const auto& name : added) fault += " " + name;
      return fault;
    }
    if (now.to_database > stage_.connections_at_most()) return "too many connections to PostgreSQL";
    return "";
  }

  Trials trials_of(const std::string& rule) {
    Trials trials;
    for (std::size_t i = 0; i < routes().size(); ++i)
      trials.push_back(std::make_unique<Trial>(world_, routes()[i], rule, i, *records_[i]));
    return trials;
  }

  static std::vector<Cell> cells_of(const Trials& trials) {
    std::vector<Cell> cells;
    for (const auto& trial : trials) cells.push_back(cell_of(trial->checks(), trial->findings()));
    return cells;
  }

  void try_everything() {
    std::vector<Trials> columns;
    for (const auto& rule : rules_) columns.push_back(trials_of(rule.name));
    Trials revoked = trials_of("revoked key");
    {
      std::atomic<std::size_t> next = 0;
      std::vector<std::jthread> threads;
      threads.emplace_back([&] { guarded(revoked, try_revoked_keys); });
      threads.emplace_back([&] { throttled_ = try_throttle(world_); });
      for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { work(columns, next); });
    }
    for (std::size_t i = 0; i < rules_.size(); ++i)
      matrix_.add(rules_[i].name, cells_of(columns[i]));
    matrix_.add("revoked key", cells_of(revoked));
    add_slow("slow head", slow_heads_, limits::kHeadTimeout);
    add_slow("slow body", slow_bodies_, limits::kBodyTimeout);
    std::vector<Cell> envelope;
    std::vector<Cell> rates;
    for (const auto& record : records_) {
      envelope.push_back(cell_of(record->seen, record->envelope));
      rates.push_back(cell_of(record->authenticated, record->rates));
    }
    matrix_.add("every answer", std::move(envelope));
    matrix_.add("rate headers", std::move(rates));
  }

  void add_slow(const std::string& rule, std::future<std::vector<CutAfter>>& slow,
                std::chrono::seconds limit) {
    Trials trials = trials_of(rule);
    if (slow.valid()) {
      const auto cut = slow.get();
      world_.requests += cut.size();
      for (std::size_t i = 0; i < trials.size(); ++i) judge_slow(*trials[i], cut[i], limit);
    }
    matrix_.add(rule, cells_of(trials));
  }

  void work(std::vector<Trials>& columns, std::atomic<std::size_t>& next) {
    const std::size_t cells = columns.size() * routes().size();
    for (std::size_t i = next++; i < cells; i = next++) {
      // Trials run column by column, so that concurrent trials use different routes.
      Trial& trial = *columns[i / routes().size()][i % routes().size()];
      if (i % 20 == 0)
        progress(std::format("edge: {}/{} cells, {} requests", i, cells, world_.requests.load()));
      try {
        rules_[i / routes().size()].run(trial);
      } catch (const std::exception& error) {
        trial.check(false, "the trial itself", "no exception", error.what());
      }
    }
  }

  static void guarded(Trials& trials, void (*run)(Trials&)) {
    try {
      run(trials);
    } catch (const std::exception& error) {
      trials.front()->check(false, "the trial itself", "no exception", error.what());
    }
  }

  // Returns the fault found after all trials; empty if there is none.
  std::string health_fault(const Descriptors& before) {
    for (std::size_t i = 0; i < stage_.processes(); ++i) {
      if (!stage_.process(i).alive()) return "a process exited";
      RawClient client{stage_.host_port(i)};
      client.send(wire_of(world_probe()));
      if (client.read().status != 422) return "a process no longer answers";
      if (stage_.log(i).contains(R"("event":"request failed")"))
        return "\"request failed\" in a log";
    }
    const auto until = std::chrono::steady_clock::now() + 5s;
    std::string fault = descriptors_fault(before);
    while (!fault.empty() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(50ms);
      fault = descriptors_fault(before);
    }
    return fault;
  }

  Verdict verdict(const std::string& health, const Descriptors& before) {
    const std::size_t wrong = matrix_.count(Cell::State::wrong) + throttled_.size();
    const std::size_t troubles = world_.maker.troubles().size();
    const std::size_t tried = matrix_.count(Cell::State::holds) + matrix_.count(Cell::State::wrong);
    const Descriptors after = descriptors();
    Verdict verdict{.holds = wrong == 0 && troubles == 0 && health.empty()};
    verdict.figures = std::format(
        "{} routes, {} rules, {} cells, {} requests, {} wrong, {}; descriptors {} → {}, and "
        "{} → {} of at most {} to PostgreSQL",
        routes().size(), matrix_.rules.size(), tried, world_.requests.load(), wrong + troubles,
        health.empty() ? "processes alive" : health, before.others, after.others,
        before.to_database, after.to_database, stage_.connections_at_most());
    if (!verdict.holds)
      verdict.figures += std::format("; logs in {}", stage_.installation().keep_logs().string());
    return verdict;
  }

  std::future<std::vector<CutAfter>> feed(std::vector<CutAfter> (*slowly)(const std::vector<Route>&,
                                                                          const HostPort&)) {
    return std::async(std::launch::async, [this, slowly, host_port = stage_.host_port()] {
      return slowly(catalogue_.routes(), host_port);
    });
  }

  const Setting& setting_;
  const Catalogue catalogue_;
  Stage stage_;
  // Slow clients are started first, because they take longest.
  std::future<std::vector<CutAfter>> slow_heads_ = feed(feed_heads);
  std::future<std::vector<CutAfter>> slow_bodies_ =
      setting_.quick ? std::future<std::vector<CutAfter>>{} : feed(feed_bodies);
  EdgeWorld world_{setting_, catalogue_, stage_};
  std::vector<Rule> rules_;
  std::vector<std::unique_ptr<RouteRecord>> records_;
  Matrix matrix_;
  std::vector<Finding> throttled_;
};

}  // namespace

Verdict edge(const Setting& setting) { return Edge{setting}.run(); }

}  // namespace shopbell::proofs
