#include "app/workflow_files/apply.h"

#include <format>
#include <print>

#include "app/workflow_files/account_objects.h"
#include "app/workflow_files/definition_diff.h"
#include "app/workflow_files/workflow_file.h"
#include "json/canonical.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_rules.h"

namespace shopbell::app {

namespace {

using Kind = NeededObject::Kind;

// A definition of the account, in the form in which definitions are compared.
struct StoredDefinition {
  std::string json;
  std::string version;

  explicit StoredDefinition(const OutputMembers& shown) : version{shown.text("version")} {
    workflows::Workflow workflow;
    workflows::read_definition(shown.root().to_json(), workflow);
    json = workflows::definition_of(workflow);
  }
};

bool is_same(const std::string& one, const std::string& other) {
  return json::canonical(json::Document::parse_body(one).root()) ==
         json::canonical(json::Document::parse_body(other).root());
}

class Application {
 public:
  Application(AccountConnection& account, const ApplyRequest& request)
      : account_{account}, request_{request}, file_{read_workflow_file(request.place)} {}

  int apply() {
    check();
    read_workflow();
    show_needs();
    show_workflow();
    if (!changes_) {
      std::println("{}: nothing to change", alias());
      return 0;
    }
    if (request_.is_dry_run) {
      std::println("dry run: nothing was changed");
      return kWouldChange;
    }
    create_needs();
    save_and_publish();
    return 0;
  }

  void check() {
    objects_ = read_account_objects(account_);
    workflows::KnownWorld world = objects_.world;
    for (const auto& needed : file_.needs)
      if (!objects_.find(needed)) add_needed(world, needed);
    std::vector<Fault> faults = file_.faults;
    try {
      workflows::check_sent(file_.workflow, world);
    } catch (const Problem& problem) {
      faults.insert(faults.end(), problem.faults().begin(), problem.faults().end());
    }
    refuse_faults(file_, faults);
  }

  const std::string& alias() const { return file_.workflow.alias; }

 private:
  void read_workflow() {
    const operations::Parameters path{{"id", alias()}};
    const auto shown = account_.find("getWorkflow", {.path = path});
    definition_ = workflows::definition_of(file_.workflow);
    if (!shown) return;
    status_ = shown->text("status");
    if (status_ == "finished")
      throw std::runtime_error{std::format(
          "the workflow {} is finished and cannot be changed; choose another alias", alias())};
    if (status_ != "draft") published_.emplace(*shown);
    if (const auto draft = account_.find("getWorkflowDraft", {.path = path}))
      draft_.emplace(*draft);
  }

  // The version that the file replaces; the file is compared with it.
  const std::optional<StoredDefinition>& before() const {
    if (request_.only_draft) return draft_ ? draft_ : published_;
    return published_ ? published_ : draft_;
  }

  void show_needs() {
    for (const auto& needed : file_.needs) {
      const auto* existing = objects_.find(needed);
      if (existing == nullptr) {
        changes_ = true;
        std::println("+ {} {}", name_of(needed.kind), needed.name);
      } else if (const auto differing = difference(needed, *existing)) {
        std::println("! {} {} stays as it is: {}", name_of(needed.kind), needed.name, *differing);
      }
    }
  }

  void show_workflow() {
    const auto document = json::Document::parse_body(definition_);
    std::vector<std::string> lines;
    if (!before()) {
      std::println("+ workflow {}", alias());
      lines = node_lines(document.root());
    } else if (!is_same(before()->json, definition_)) {
      std::println("~ workflow {}, version {}", alias(), before()->version);
      const auto old = json::Document::parse_body(before()->json);
      lines = definition_changes(old.root(), document.root());
      if (lines.empty()) lines.emplace_back("~ the order of the nodes");
    }
    for (const auto& line : lines) std::println("    {}", line);
    is_saved_ = draft_ && is_same(draft_->json, definition_);
    is_published_ = published_ && is_same(published_->json, definition_);
    const bool publishes = !request_.only_draft && !is_published_;
    const bool saves = !is_saved_ && (!is_published_ || (request_.only_draft && draft_));
    if (draft_ && published_ && !is_saved_ && !is_same(draft_->json, published_->json))
      std::println("! the draft of version {} {}", draft_->version,
                   saves ? "is replaced" : "stays as it is; it is not published");
    saves_ = saves;
    publishes_ = publishes;
    changes_ = changes_ || saves || publishes;
  }

  void create_needs() {
    for (const auto& needed : file_.needs)
      if (!objects_.find(needed)) create(needed);
  }

  void create(const NeededObject& needed) {
    const auto operation = [&] {
      switch (needed.kind) {
        case Kind::contact_field:
          return "createContactField";
        case Kind::integration:
          return "createCustomIntegration";
        case Kind::event_type:
          return "createCustomEventType";
        case Kind::message_template:
          return "createTemplate";
        default:
          return "createCouponSet";
      }
    }();
    operations::Parameters path;
    operations::Parameters query;
    if (needed.kind == Kind::message_template && !request_.only_draft)
      query.emplace_back("publish", "true");
    if (needed.kind == Kind::event_type) {
      const auto& integration = objects_.objects.at({Kind::integration, needed.integration});
      path.emplace_back("id", integration.id);
    }
    try {
      const OutputMembers made =
          account_.call(operation, {.path = path, .query = query, .body = needed.body});
      objects_.objects.emplace(std::pair{needed.kind, needed.name},
                               AccountObjects::Object{.id = made.text("id"),
                                                      .json = made.root().to_json(),
                                                      .integration = needed.integration});
    } catch (const Refusal& refusal) {
      refuse_faults(file_, refusal.faults(), needed.pointer);
      throw;
    }
  }

  void save_and_publish() {
    const operations::Parameters path{{"id", alias()}};
    try {
      if (status_.empty()) {
        account_.call("createWorkflow", {.body = definition_});
      } else if (saves_) {
        account_.call("saveWorkflowDraft", {.path = path, .body = definition_});
      }
      if (publishes_) {
        const OutputMembers made = account_.call("publishWorkflow", {.path = path});
        std::println("published version {} of {}{}", made.text("version"), alias(),
                     made.text("status") == "paused" ? "; the workflow is paused" : "");
      } else if (saves_ || status_.empty()) {
        std::println("saved the draft of {}; `shopbell workflow publish` publishes it", alias());
      } else {
        std::println("{}: the workflow itself does not change", alias());
      }
    } catch (const Refusal& refusal) {
      refuse_faults(file_, refusal.faults());
      throw;
    }
  }

  AccountConnection& account_;
  const ApplyRequest request_;
  const WorkflowFile file_;
  AccountObjects objects_;
  std::string definition_;  // of the file
  std::string status_;      // of the account's workflow; empty: there is none
  std::optional<StoredDefinition> published_;
  std::optional<StoredDefinition> draft_;
  bool is_saved_ = false;
  bool is_published_ = false;
  bool saves_ = false;
  bool publishes_ = false;
  bool changes_ = false;
};

}  // namespace

int apply_workflow_file(AccountConnection& account, const ApplyRequest& request) {
  return Application{account, request}.apply();
}

void check_workflow_file(AccountConnection& account, const std::string& place) {
  Application application{account, {.place = place}};
  application.check();
  std::println("{} is valid", application.alias());
}

}  // namespace shopbell::app
