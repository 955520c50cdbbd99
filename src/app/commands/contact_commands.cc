#include "app/commands/contact_commands.h"

#include <print>

#include "app/session/account_session.h"
#include "json/writer.h"
#include "resources/contacts/contacts_operations.h"

namespace shopbell::app {

namespace {

// Identifies one contact: the caller sets exactly one of these members.
struct Person {
  std::string email;
  std::string external_id;
  std::string id;
};

struct ContactOptions {
  std::int64_t account = 0;
  Person person;
  std::string from;
  std::string into;
};

// Runs the operations on contacts of one account.
class ContactSession {
 public:
  ContactSession(const Config& config, std::int64_t account) : session_{config, account} {}

  operations::Output get(const Person& person) {
    if (!person.id.empty()) return call("getContactById", {{"id", person.id}});
    return call(person.email.empty() ? "getContactByExternalId" : "getContactByEmail",
                path_of(person));
  }
  void erase(Person person) {
    if (!person.id.empty()) {  // deletion takes an e-mail address or an external id
      const OutputMembers contact{get(person)};
      person = {.email = contact.text("email", ""),
                .external_id = contact.text("externalId", ""),
                .id = ""};
    }
    call(person.email.empty() ? "deleteContactByExternalId" : "deleteContactByEmail",
         path_of(person));
  }
  void merge(const std::string& from, const std::string& into) {
    json::Writer body;
    body.begin_object().key("from").text(from).key("into").text(into).end();
    call("mergeContacts", {}, body.finish());
  }

 private:
  static operations::Parameters path_of(const Person& person) {
    if (person.email.empty()) return {{"externalId", person.external_id}};
    return {{"email", person.email}};
  }
  operations::Output call(std::string_view id, operations::Parameters path, std::string body = "") {
    auto output = session_.find(table_, id, {.path = std::move(path), .body = std::move(body)});
    if (!output) throw std::runtime_error{"the account has no such contact"};
    return std::move(*output);
  }

  AccountSession session_;
  const std::vector<operations::Operation> table_ = contacts::operation_table();
};

void show(const Config& config, const ContactOptions& options) {
  const auto contact = ContactSession{config, options.account}.get(options.person);
  json::Writer writer;
  writer.json(contact.body);
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void erase(const Config& config, const ContactOptions& options) {
  ContactSession{config, options.account}.erase(options.person);
  std::println("erased; an unsubscription is kept as a hash of the address");
}

void merge(const Config& config, const ContactOptions& options) {
  ContactSession{config, options.account}.merge(options.from, options.into);
  std::println("merged; {} now refers to the merged contact", options.from);
}

}  // namespace

void add_contact_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<ContactOptions>();
  auto* contact = commands.add_subcommand("contact", "Contacts")->require_subcommand(1);
  const auto of_account = [&](const std::string& name, const std::string& what) {
    auto* command = contact->add_subcommand(name, what);
    command->add_option("--account", options->account, "Number of the account")->required();
    return command;
  };
  const auto of_person = [&](const std::string& name, const std::string& what) {
    auto* command = of_account(name, what);
    auto* person = command->add_option_group("person")->require_option(1);
    person->add_option("--email", options->person.email, "E-mail address");
    person->add_option("--external-id", options->person.external_id,
                       "The store's id of the "
                       "contact");
    person->add_option("--id", options->person.id, "Shopbell's id of the contact");
    return command;
  };
  of_person("show", "Show all data about a contact")->callback([=] { show(config(), *options); });
  of_person("erase", "Erase a contact permanently")->callback([=] { erase(config(), *options); });
  auto* merged = of_account("merge", "Merge two contacts");
  merged->add_option("FROM", options->from, "Id of the contact to merge into the other")
      ->required();
  merged->add_option("INTO", options->into, "Id of the contact to keep")->required();
  merged->callback([=] { merge(config(), *options); });
}

}  // namespace shopbell::app
