#include "app/commands/commands.h"

#include <cstdlib>
#include <print>

#include <CLI/CLI.hpp>

#include "app/commands/audit_commands.h"
#include "app/commands/contact_commands.h"
#include "app/commands/coupon_commands.h"
#include "app/commands/export_commands.h"
#include "app/commands/import_commands.h"
#include "app/commands/keyring_commands.h"
#include "app/commands/log_commands.h"
#include "app/commands/operator_commands.h"
#include "app/commands/workflow_commands.h"
#include "app/config/config.h"
#include "app/config/layout.h"
#include "app/config/schema.h"
#include "app/config/settings.h"
#include "app/doctor/doctor.h"
#include "app/install/install.h"
#include "app/service/service.h"
#include "app/workflow_files/apply.h"
#include "app/workflow_files/workflow_file.h"
#include "events/event_kinds.h"
#include "http/reference/openapi.h"
#include "http/reference/problem_guide.h"
#include "keyring/core_dumps.h"
#include "observe/log.h"
#include "resources/all.h"

namespace shopbell::app {

namespace {

class Commands {
 public:
  Commands() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", SHOPBELL_VERSION);
    app_.add_option("--config", config_file_,
                    "Configuration file (default: the package's, else ./shopbell.toml)")
        ->envname("SHOPBELL_CONFIG");
    add_init();
    add_migrate();
    add_run();
    add_doctor();
    add_operator_commands(app_, [this] { return config(); });
    add_keyring_commands(app_, [this] { return config(); });
    add_contact_commands(app_, [this] { return config(); });
    add_coupon_commands(app_, [this] { return config(); });
    add_template_commands(app_, [this] { return config(); });
    add_workflow_commands(app_, [this] { return config(); }, exit_code_);
    add_export_commands(app_, [this] { return config(); });
    add_import_commands(app_, [this] { return config(); });
    add_log_commands(app_, [this] { return config(); });
    add_audit_commands(app_, [this] { return config(); });
    add_config();
    app_.add_subcommand("openapi", "Print the OpenAPI document")->callback([] {
      std::print("{}", http::openapi_document(resources::all_operations(), "",
                                              json::Writer::Layout::indented));
    });
    app_.add_subcommand("problems", "Print all error codes as Markdown")->callback([] {
      std::print("{}", http::problem_guide());
    });
    auto* kinds = app_.add_subcommand("events", "Print all event kinds as JSON Schema");
    kinds->add_flag("--stream", as_messages_, "Print them as messages of the Kafka stream");
    kinds->callback([this] {
      std::print("{}", as_messages_ ? events::message_schemas() : events::event_schemas());
    });
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      return exit_code_;
    } catch (const CLI::ParseError& error) {
      return app_.exit(error);
    } catch (const FaultyFile& faults) {
      std::println(stderr, "{}", faults.what());
      return kFaultyFile;
    } catch (const std::exception& error) {
      std::println(stderr, "shopbell: {}", error.what());
      return EXIT_FAILURE;
    }
  }

 private:
  Config config() const { return load_config(config_file_, process_environment()); }

  void add_init() {
    auto* command = app_.add_subcommand(
        "init", "Create roles, database, configuration, keyring and the first store");
    command
        ->add_option("--admin", installation_.admin_url,
                     "Connection string of a PostgreSQL administrator (default: as root the "
                     "PostgreSQL of this machine, else a prompt)")
        ->envname("SHOPBELL_ADMIN");
    command->add_option("--database", installation_.database, "Name of the database to create")
        ->capture_default_str();
    command->add_option("--directory", installation_.directory,
                        "Directory for configuration and keyring (default: the package's, else .)");
    command->add_option("--listen", installation_.listen, "Address of the API")
        ->capture_default_str();
    command
        ->add_option("--private-listen", installation_.private_listen,
                     "Address of health and metrics")
        ->capture_default_str();
    store::NewAccount& made = installation_.store;
    command->add_option("--store", made.name, "Name of the first store")->capture_default_str();
    command->add_option("--currency", made.currency, "Currency of the store, ISO 4217")
        ->capture_default_str();
    command->add_option("--time-zone", made.time_zone, "IANA time zone of the store")
        ->capture_default_str();
    command->add_option("--locale", made.locale, "BCP 47 language tag of the store")
        ->capture_default_str();
    command->add_option("--country", made.country, "Country of the store, ISO 3166-1 alpha-2");
    command->add_flag("--no-store", installation_.without_store, "Create no store");
    command->callback([this] { init(installation_); });
  }

  void add_migrate() {
    auto* command = app_.add_subcommand("migrate", "Migrate the schema to this version");
    command->add_option("--owner", owner_file_,
                        "File with the owner's connection string (default: owner.toml beside the "
                        "configuration)");
    auto* check = command->add_flag("--check", only_check_,
                                    "Only list missing migrations; exit 0: none, 1: some, 2: the "
                                    "schema is newer than this binary");
    command
        ->add_flag("--dry-run", dry_run_,
                   "Apply missing migrations in a transaction, print how long each took, and roll "
                   "back")
        ->excludes(check);
    command->callback([this] {
      const std::filesystem::path beside = config_file_.parent_path() / "owner.toml";
      const std::string owner = load_owner(owner_file_.empty() ? beside : owner_file_);
      if (only_check_) {
        exit_code_ = check_migrations(owner);
      } else if (dry_run_) {
        rehearse_migrations(owner);
      } else {
        migrate(owner);
      }
    });
  }

  void add_config() {
    auto* command = app_.add_subcommand("config", "Print all settings as a configuration file");
    command->add_flag("--markdown", as_markdown_, "Print the table of docs/run/settings.md");
    command->callback(
        [this] { std::print("{}", as_markdown_ ? settings_table() : example_file()); });
  }

  void add_run() {
    app_.add_subcommand("run", "Run the service")->callback([this] {
      const Config loaded = config();
      observe::start_logs(loaded.log_level);
      exit_code_ = run_service(loaded);
    });
  }

  void add_doctor() {
    auto* command = app_.add_subcommand("doctor",
                                        "Check this installation and print how to fix "
                                        "it");
    command->add_flag("--json", as_json_, "Print a JSON list");
    command->callback([this] { exit_code_ = run_doctor(config_file_, as_json_); });
  }

  CLI::App app_{"Shopbell: marketing automation for stores", "shopbell"};
  std::filesystem::path config_file_ = default_config_file();
  std::filesystem::path owner_file_;
  Installation installation_;
  bool only_check_ = false;
  bool dry_run_ = false;
  bool as_json_ = false;
  bool as_markdown_ = false;
  bool as_messages_ = false;
  int exit_code_ = EXIT_SUCCESS;
};

}  // namespace

int run_command(int argc, char** argv) {
  keyring::forbid_core_dumps();
  return Commands{}.run(argc, argv);
}

}  // namespace shopbell::app
