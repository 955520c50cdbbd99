#include "app/commands/workflow_commands.h"

#include <fstream>
#include <iterator>
#include <print>

#include "app/session/account_session.h"
#include "base/limits.h"
#include "json/writer.h"
#include "resources/templates/template_store.h"
#include "resources/templates/templates_operations.h"
#include "resources/workflows/definition_schema.h"
#include "resources/workflows/workflow_store.h"
#include "resources/workflows/workflows_operations.h"

namespace shopbell::app {

namespace {

struct WorkflowOptions {
  std::int64_t account = 0;
  std::string name;   // alias or id of the workflow or template
  std::string title;  // display name of the template
  std::string file;
};

void create_template(const Config& config, const WorkflowOptions& options) {
  json::Writer body;
  body.begin_object();
  body.key("alias").text(options.name);
  body.key("name").text(options.title.empty() ? options.name : options.title);
  body.end();
  AccountSession session{config, options.account};
  const OutputMembers made{
      session.call(templates::operation_table(), "createTemplate", {.body = body.finish()})};
  std::println("template={}\nalias={}", made.text("id"), made.text("alias"));
}

void list_templates(const Config& config, const WorkflowOptions& options) {
  const auto all =
      AccountSession{config, options.account}.read([](pg::Pool& database, pg::Scope scope) {
        return templates::list_templates(database, scope, std::nullopt, true, limits::kTemplates);
      });
  std::println("{:<36}  {:<24} {}", "TEMPLATE", "ALIAS", "NAME");
  for (const auto& message : all)
    std::println("{:<36}  {:<24} {}", message.id.to_string(), message.alias, message.name);
}

void delete_template(const Config& config, const WorkflowOptions& options) {
  AccountSession session{config, options.account};
  const auto table = templates::operation_table();
  const operations::Parameters path{{"id", options.name}};
  const OutputMembers found{session.call(table, "getTemplate", {.path = path})};
  session.call(table, "deleteTemplate", {.path = path});
  std::println("deleted {}", found.text("alias"));
}

void list_workflows(const Config& config, const WorkflowOptions& options) {
  const auto all =
      AccountSession{config, options.account}.read([](pg::Pool& database, pg::Scope scope) {
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

operations::Output call_workflow(const Config& config, const WorkflowOptions& options,
                                 std::string_view operation) {
  return AccountSession{config, options.account}.call(workflows::operation_table(), operation,
                                                      {.path = {{"id", options.name}}});
}

void show_workflow(const Config& config, const WorkflowOptions& options) {
  json::Writer writer;
  writer.json(call_workflow(config, options, "getWorkflow").body);
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void check_workflow(const Config& config, const WorkflowOptions& options) {
  std::ifstream input{options.file};
  if (!input) throw std::runtime_error{std::format("{} cannot be read", options.file)};
  std::string text{std::istreambuf_iterator{input}, {}};
  AccountSession session{config, options.account};
  const auto table = workflows::operation_table();
  const OutputMembers checked{session.run(operations::find_operation(table, "createWorkflow"),
                                          {.body = std::move(text)}, workflows::check_definition)};
  std::println("{} is valid", checked.text("alias"));
}

void publish_workflow(const Config& config, const WorkflowOptions& options) {
  const OutputMembers workflow{call_workflow(config, options, "publishWorkflow")};
  std::println("version {} of {} is published; it does not run yet", workflow.text("version"),
               workflow.text("alias"));
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
  auto* made = of_account(message, options, "create", "Create a template");
  made->add_option("--alias", options->name, "Alias, used in workflow definitions")->required();
  made->add_option("--name", options->title, "Display name; default: the alias");
  made->callback([=] { create_template(config(), *options); });
  of_account(message, options, "list", "List all templates")->callback([=] {
    list_templates(config(), *options);
  });
  auto* deleted = of_account(message, options, "delete", "Delete a template that no workflow uses");
  deleted->add_option("TEMPLATE", options->name, "Alias or id of the template")->required();
  deleted->callback([=] { delete_template(config(), *options); });

  auto* workflow = commands.add_subcommand("workflow", "Workflows")->require_subcommand(1);
  of_account(workflow, options, "list", "List all workflows")->callback([=] {
    list_workflows(config(), *options);
  });
  auto* shown = of_account(workflow, options, "show", "Show a workflow with its definition");
  shown->add_option("WORKFLOW", options->name, "Alias or id of the workflow")->required();
  shown->callback([=] { show_workflow(config(), *options); });
  auto* checked = of_account(workflow, options, "check", "Validate a definition without saving it");
  checked->add_option("FILE", options->file, "File with the definition as JSON")->required();
  checked->callback([=] { check_workflow(config(), *options); });
  auto* published = of_account(workflow, options, "publish", "Publish the draft of a workflow");
  published->add_option("WORKFLOW", options->name, "Alias or id of the workflow")->required();
  published->callback([=] { publish_workflow(config(), *options); });
  workflow->add_subcommand("schema", "Print the JSON Schema of definitions")->callback([] {
    std::print("{}", workflows::definition_schema());
  });
}

}  // namespace shopbell::app
