#include "expect.h"
#include "rules.h"

namespace shopbell::house {
namespace {

TEST(LinksLeadSomewhere, is_seen_red) {
  expect_findings(
      links_lead_somewhere({
          {"README.md", "[a](docs/b.md)\n\n[b](docs/a.md) and ![c](c.png \"title\")\n"},
          {"docs/a.md", "[a](../README.md) [b](README.md)\n[c]: gone.md\n[d](../../up.md)\n"},
          {"docs/decisions/0001-x.md", "[a](/docs/b.md#there)\n"},
      }),
      {
          {"README.md:1", "docs/b.md leads nowhere"},
          {"README.md:3", "c.png leads nowhere"},
          {"docs/a.md:1", "to README.md leads nowhere"},
          {"docs/a.md:2", "gone.md leads nowhere"},
          {"docs/a.md:3", "../../up.md leads nowhere"},
          {"docs/decisions/0001-x.md:1", "/docs/b.md#there leads nowhere"},
      });
  expect_none(links_lead_somewhere({
      {"README.md",
       "# Here\n[a](docs/a.md#part) [b](docs/) [c](docs) [d](#here) "
       "[e](https://example.com/x.md)\n"},
      {"docs/a.md",
       "## Part\n[a](../README.md) "
       "[m](mailto:a@example.com)\n```\n[b](gone.md)\n```\n`[c](gone.md)`\n"},
      {"docs/b.md", "[a](./a.md) [b](/README.md) [c](..)\n[d]: <a.md>\n"},
      {"src/a.cc", "// [a](gone.md)\n"},
  }));
}

TEST(LinksLeadSomewhere, sees_a_heading_that_is_not_there) {
  expect_findings(
      links_lead_somewhere({
          {"README.md", "# Top\n[a](#end)\n[b](docs/a.md#part)\n[c](docs/a.md#part-2)\n"},
          {"docs/a.md", "# Parts\n## One\n```sh\n# Part\n```\n## One\n[d](#one-2)\n"},
      }),
      {
          {"README.md:2", "README.md has no heading for #end"},
          {"README.md:3", "docs/a.md has no heading for #part"},
          {"README.md:4", "docs/a.md has no heading for #part-2"},
          {"docs/a.md:7", "docs/a.md has no heading for #one-2"},
      });
  expect_none(links_lead_somewhere({
      {"README.md",
       "# The `end`, [of](docs/a.md) it: 1 & 2\n## Größe\n[a](#the-end-of-it-1--2) "
       "[b](#größe) [c](docs/a.md#one-1) [d](src/a.cc#L7)\n"},
      {"docs/a.md", "## One\n### One\n"},
      {"src/a.cc", "\n"},
  }));
}

TEST(CommandsAreRun, is_seen_red) {
  const std::string sample = "```sh\ntrue\n```\n";
  expect_findings(
      commands_are_run({
          {"tests/pages.txt",
           "# who runs what\nREADME.md#start  tests/a\ndocs/a.md tests/b\ndocs/b.md tests/gone\n"
           "docs/c.md tests/a\n"},
          {"tests/a", "run README.md#start and docs/c.md\n"},
          {"tests/b", "run docs/b.md\n"},
          {"README.md", "# Start\n" + sample + "## More\n" + sample + "```bash\ntrue\n```\n"},
          {"docs/a.md", sample},
          {"docs/b.md", sample},
          {"docs/c.md", "```text\ntrue\n```\n"},
          {"docs/d.md", "\n" + sample},
      }),
      {
          {"README.md:6", "no test runs these commands"},
          {"README.md:9", "bash: call it sh"},
          {"docs/d.md:2", "no test runs these commands"},
          {"tests/pages.txt:3", "tests/b does not name"},
          {"tests/pages.txt:4", "tests/gone does not name"},
          {"tests/pages.txt:5", "there is no sh block"},
      });
  expect_findings(commands_are_run({}), {{"tests/pages.txt:1", "is not here"}});
  expect_none(commands_are_run({
      {"tests/pages.txt", "README.md tests/a\ndocs/a.md#part tests/b\n"},
      {"tests/a", "reads tests/pages.txt\n"},
      {"tests/b", "runs docs/a.md, and there part\n"},
      {"README.md", sample + "# More\n" + sample + "```json\n{}\n```\n"},
      {"docs/a.md", "# Part\n" + sample + "# Other\n```text\ntrue\n```\n"},
  }));
}

}  // namespace
}  // namespace shopbell::house
