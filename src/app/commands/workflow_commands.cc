#include "app/commands/workflow_commands.h"

#include <print>

#include "app/commands/running_workflows.h"
#include "app/recipes/recipe.h"
#include "app/session/account_connection.h"
#include "app/workflow_files/apply.h"
#include "base/limits.h"
#include "json/writer.h"
#include "resources/templates/template_store.h"
#include "resources/templates/templates_operations.h"
#include "resources/workflows/definition_schema.h"
#include "yaml/yaml_json.h"

namespace shopbell::app {

namespace {

struct WorkflowOptions {
  std::int64_t account = 0;
  std::string name;   // alias or id of the workflow or template
  std::string title;  // display name of the template
  std::string file;
  std::optional<std::int64_t> connected_account;
  bool dry_run = false;
  bool draft = false;
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

void list_workflows(AccountConnection& account) {
  std::println("{:<24} {:<9} {:>7} {:>7}  {}", "ALIAS", "STATUS", "VERSION", "DRAFT", "NAME");
  account.for_each("listManagedWorkflows", {}, [](const json::Value& workflow) {
    const auto text = [&](std::string_view name) {
      const auto member = workflow.member(name);
      if (member && member->type() == json::Type::number) return std::string{member->number_text()};
      return std::string{member && member->type() == json::Type::text ? member->text() : "-"};
    };
    const std::string status = text("status");
    std::println("{:<24} {:<9} {:>7} {:>7}  {}", text("alias"), status,
                 status == "draft" ? "-" : text("version"), text("draftVersion"), text("name"));
  });
}

void show_workflow(AccountConnection& account, const std::string& name) {
  json::Writer writer;
  writer.json(account.call("getWorkflow", {.path = {{"id", name}}}).root().to_json());
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void publish_workflow(AccountConnection& account, const std::string& name) {
  const OutputMembers workflow = account.call("publishWorkflow", {.path = {{"id", name}}});
  std::println("version {} of {} is published", workflow.text("version"), workflow.text("alias"));
}

void list_recipes() {
  std::println("{:<24} {}", "RECIPE", "DESCRIPTION");
  for (const auto& recipe : recipes()) {
    const auto source = yaml::to_json(recipe.yaml);
    const auto document = json::Document::parse_body(source.value().text);
    std::println("{:<24} {}", recipe.name, document.root().member("description")->text());
  }
}

void print_recipe(const std::string& name) {
  const Recipe* recipe = find_recipe(name);
  if (recipe == nullptr)
    throw std::runtime_error{
        std::format("there is no recipe {}; `shopbell workflow recipes` lists all", name)};
  std::print("{}", recipe->yaml);
}

CLI::App* of_account(CLI::App* group, const std::shared_ptr<WorkflowOptions>& options,
                     const std::string& name, const std::string& what) {
  auto* command = group->add_subcommand(name, what);
  command->add_option("--account", options->account, "Number of the account")->required();
  return command;
}

// Adds the commands about running workflows. `add` adds a command about one account.
void add_running_commands(
    const std::function<CLI::App*(const std::string& name, const std::string& what,
                                  const std::function<void(AccountConnection&)>& act)>& add) {
  const auto runs = std::make_shared<RunsWanted>();
  auto* listed = add("runs", "List runs, the latest started first",
                     [=](AccountConnection& account) { print_runs(account, *runs); });
  listed->add_option("WORKFLOW", runs->workflow, "Alias or id of the workflow");
  listed->add_option("--contact", runs->contact, "Only runs of the contact: e-mail address or id");
  listed->add_option("--node", runs->node, "Only runs at this node");
  listed->add_option("--state", runs->state, "open, held, parked, done or ended");
  listed->add_option("--limit", runs->limit, "Number of runs")->capture_default_str();
  const auto run = std::make_shared<std::string>();
  add("run", "Show a run with its steps and messages",
      [=](AccountConnection& account) { print_run(account, *run); })
      ->add_option("RUN", *run, "Id of the run")
      ->required();
  const auto dry = std::make_shared<DryRunWanted>(DryRunWanted{.data = "{}"});
  auto* tried = add("dry-run", "Let a contact go through a workflow without any effect",
                    [=](AccountConnection& account) { print_dry_run(account, *dry); });
  tried->add_option("WORKFLOW", dry->workflow, "Alias or id of the workflow")->required();
  tried
      ->add_option("CONTACT", dry->contact,
                   "E-mail address, id or externalId of a contact, or a JSON object")
      ->required();
  tried->add_option("--data", dry->data, "Data of the event that starts the run, as JSON")
      ->capture_default_str();
  tried->add_option("--at", dry->at, "Time of the event; default: now");
  tried->add_flag("--draft", dry->draft, "Try the draft instead of the published version");
  const auto asked = std::make_shared<DryRunWanted>();
  auto* why =
      add("why", "Explain why a contact is where it is in a workflow",
          [=](AccountConnection& account) { print_why(account, asked->workflow, asked->contact); });
  why->add_option("WORKFLOW", asked->workflow, "Alias or id of the workflow")->required();
  why->add_option("CONTACT", asked->contact, "E-mail address, id or externalId of the contact")
      ->required();
}

}  // namespace

void add_template_commands(CLI::App& commands, const std::function<Config()>& config) {
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
}

void add_workflow_commands(CLI::App& commands, const std::function<Config()>& config,
                           int& exit_code) {
  const auto options = std::make_shared<WorkflowOptions>();
  auto* workflow = commands.add_subcommand("workflow", "Workflows")->require_subcommand(1);
  // Adds a command about one account, over its database or the API.
  const auto add = [=](const std::string& name, const std::string& what, auto act) {
    auto* command = workflow->add_subcommand(name, what);
    command->add_option("--account", options->connected_account,
                        "Number of the account; default: the API at SHOPBELL_URL, with the key "
                        "SHOPBELL_KEY");
    command->callback([=] {
      act(*AccountConnection::open(config, options->connected_account, process_environment()));
    });
    return command;
  };
  add("list", "List all workflows", list_workflows);
  add("show", "Show a workflow with its definition",
      [=](AccountConnection& account) { show_workflow(account, options->name); })
      ->add_option("WORKFLOW", options->name, "Alias or id of the workflow")
      ->required();
  add("check", "Validate a file without saving it",
      [=](AccountConnection& account) { check_workflow_file(account, options->file); })
      ->add_option("FILE", options->file, "Workflow as YAML or JSON, or recipe:NAME")
      ->required();
  auto* applied = add("apply", "Create or change a workflow as its file says, and publish it",
                      [=, &exit_code](AccountConnection& account) {
                        exit_code = apply_workflow_file(account, {.place = options->file,
                                                                  .is_dry_run = options->dry_run,
                                                                  .only_draft = options->draft});
                      });
  applied->add_option("FILE", options->file, "Workflow as YAML or JSON, or recipe:NAME")
      ->required();
  applied->add_flag("--dry-run", options->dry_run,
                    "Print the changes and make none; exit code 2 if there are any");
  applied->add_flag("--draft", options->draft, "Save the draft without publishing it");
  add_running_commands(add);
  add("publish", "Publish the draft of a workflow",
      [=](AccountConnection& account) { publish_workflow(account, options->name); })
      ->add_option("WORKFLOW", options->name, "Alias or id of the workflow")
      ->required();
  workflow->add_subcommand("recipes", "List the workflow files that Shopbell brings along")
      ->callback(list_recipes);
  auto* recipe = workflow->add_subcommand("recipe", "Print the file of a recipe");
  recipe->add_option("NAME", options->name, "Name of the recipe")->required();
  recipe->callback([=] { print_recipe(options->name); });
  workflow->add_subcommand("schema", "Print the JSON Schema of definitions")->callback([] {
    std::print("{}", workflows::definition_schema());
  });
}

}  // namespace shopbell::app
