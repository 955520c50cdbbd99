#include "app/commands/workflow_commands.h"

#include <fstream>
#include <iterator>
#include <print>

#include "app/session/account_session.h"
#include "base/limits.h"
#include "json/document.h"
#include "json/writer.h"
#include "resources/templates/template_care.h"
#include "resources/templates/template_json.h"
#include "resources/templates/template_store.h"
#include "resources/workflows/definition_schema.h"
#include "resources/workflows/workflow_care.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::app {

namespace {

using templates::Template;
using workflows::Workflow;

struct WorkflowOptions {
  std::int64_t account = 0;
  std::string name;   // of what is meant: its alias or id
  std::string title;  // for people
  std::string file;
};

void create_template(const Config& config, const WorkflowOptions& options) {
  json::Writer body;
  body.begin_object();
  body.key("alias").text(options.name);
  body.key("name").text(options.title.empty() ? options.name : options.title);
  body.end();
  const auto made =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        const auto document = json::Document::parse_body(body.finish());
        json::Reading reading;  // as a request would be, so that the same rules hold
        Template message;
        templates::template_json().read_new(document.root(), reading).apply_to(message);
        reading.finish();
        return templates::make_template(database, scope, std::move(message));
      });
  std::println("template={}\nalias={}", made.id.to_string(), made.alias);
}

void list_templates(const Config& config, const WorkflowOptions& options) {
  const auto all = serve_account(config, options.account, [](pg::Pool& database, pg::Scope scope) {
    return templates::list_templates(database, scope, std::nullopt, true, limits::kTemplates);
  });
  std::println("{:<36}  {:<24} {}", "TEMPLATE", "ALIAS", "NAME");
  for (const auto& message : all)
    std::println("{:<36}  {:<24} {}", message.id.to_string(), message.alias, message.name);
}

void delete_template(const Config& config, const WorkflowOptions& options) {
  const auto gone =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return templates::drop_template(database, scope, options.name);
      });
  std::println("deleted {}", gone.alias);
}

void list_workflows(const Config& config, const WorkflowOptions& options) {
  const auto all = serve_account(config, options.account, [](pg::Pool& database, pg::Scope scope) {
    return workflows::list_workflows(database, scope,
                                     {.ascending = true, .limit = limits::kWorkflows});
  });
  std::println("{:<24} {:<9} {:>7} {:>7}  {}", "ALIAS", "STATUS", "VERSION", "DRAFT", "NAME");
  for (const auto& workflow : all)
    std::println("{:<24} {:<9} {:>7} {:>7}  {}", workflow.alias, workflow.status,
                 workflow.active_version ? std::to_string(*workflow.active_version) : "-",
                 workflow.draft_version ? std::to_string(*workflow.draft_version) : "-",
                 workflow.name);
}

void show_workflow(const Config& config, const WorkflowOptions& options) {
  const Workflow workflow =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return workflows::show_workflow(database, scope, options.name);
      });
  json::Writer writer;
  writer.json(workflows::workflow_json().to_json(workflow));
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void check_workflow(const Config& config, const WorkflowOptions& options) {
  std::ifstream input{options.file};
  if (!input) throw std::runtime_error{std::format("{} cannot be read", options.file)};
  const std::string text{std::istreambuf_iterator{input}, {}};
  const Workflow sound =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return workflows::try_definition(database, scope, text);
      });
  std::println("{} could be saved", sound.alias);
}

void publish_workflow(const Config& config, const WorkflowOptions& options) {
  const Workflow workflow =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return workflows::publish_workflow(database, scope, options.name);
      });
  std::println("version {} of {} is published; it does not run yet", workflow.shown_version,
               workflow.alias);
}

CLI::App* of_account(CLI::App* group, const std::shared_ptr<WorkflowOptions>& options,
                     const std::string& name, const std::string& what) {
  auto* command = group->add_subcommand(name, what);
  command->add_option("--account", options->account, "Number of the account")->required();
  return command;
}

}  // namespace

void add_workflow_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<WorkflowOptions>();
  auto* message = commands.add_subcommand("template", "Templates")->require_subcommand(1);
  auto* made = of_account(message, options, "create", "Make a template");
  made->add_option("--alias", options->name, "What definitions name it by")->required();
  made->add_option("--name", options->title, "For people; the alias by default");
  made->callback([=] { create_template(config(), *options); });
  of_account(message, options, "list", "Show every template")->callback([=] {
    list_templates(config(), *options);
  });
  auto* deleted = of_account(message, options, "delete", "Delete a template no workflow uses");
  deleted->add_option("TEMPLATE", options->name, "Its alias or id")->required();
  deleted->callback([=] { delete_template(config(), *options); });

  auto* workflow = commands.add_subcommand("workflow", "Workflows")->require_subcommand(1);
  of_account(workflow, options, "list", "Show every workflow")->callback([=] {
    list_workflows(config(), *options);
  });
  auto* shown = of_account(workflow, options, "show", "Show a workflow with its definition");
  shown->add_option("WORKFLOW", options->name, "Its alias or id")->required();
  shown->callback([=] { show_workflow(config(), *options); });
  auto* checked = of_account(workflow, options, "check", "Check a definition without saving it");
  checked->add_option("FILE", options->file, "The definition, as JSON")->required();
  checked->callback([=] { check_workflow(config(), *options); });
  auto* published = of_account(workflow, options, "publish", "Publish the draft of a workflow");
  published->add_option("WORKFLOW", options->name, "Its alias or id")->required();
  published->callback([=] { publish_workflow(config(), *options); });
  workflow->add_subcommand("schema", "Print the JSON Schema of definitions")->callback([] {
    std::print("{}", workflows::definition_schema());
  });
}

}  // namespace shopbell::app
