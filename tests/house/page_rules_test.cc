#include "expect.h"
#include "rules.h"

namespace shopbell::house {
namespace {

TEST(BrokenLinks, reports_violations) {
  expect_findings(
      broken_links({
          {"README.md", "[a](docs/b.md)\n\n[b](docs/a.md) and ![c](c.png \"title\")\n"},
          {"docs/a.md", "[a](../README.md) [b](README.md)\n[c]: gone.md\n[d](../../up.md)\n"},
          {"docs/decisions/0001-x.md", "[a](/docs/b.md#there)\n"},
      }),
      {
          {"README.md:1", "docs/b.md is broken"},
          {"README.md:3", "c.png is broken"},
          {"docs/a.md:1", "to README.md is broken"},
          {"docs/a.md:2", "gone.md is broken"},
          {"docs/a.md:3", "../../up.md is broken"},
          {"docs/decisions/0001-x.md:1", "/docs/b.md#there is broken"},
      });
  expect_none(broken_links({
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

TEST(BrokenLinks, reports_a_missing_heading) {
  expect_findings(
      broken_links({
          {"README.md", "# Top\n[a](#end)\n[b](docs/a.md#part)\n[c](docs/a.md#part-2)\n"},
          {"docs/a.md", "# Parts\n## One\n```sh\n# Part\n```\n## One\n[d](#one-2)\n"},
      }),
      {
          {"README.md:2", "README.md has no heading for #end"},
          {"README.md:3", "docs/a.md has no heading for #part"},
          {"README.md:4", "docs/a.md has no heading for #part-2"},
          {"docs/a.md:7", "docs/a.md has no heading for #one-2"},
      });
  expect_none(broken_links({
      {"README.md",
       "# The `end`, [of](docs/a.md) it: 1 & 2\n## Größe\n[a](#the-end-of-it-1--2) "
       "[b](#größe) [c](docs/a.md#one-1) [d](src/a.cc#L7)\n"},
      {"docs/a.md", "## One\n### One\n"},
      {"src/a.cc", "\n"},
  }));
}

TEST(UntestedCommands, reports_violations) {
  const std::string sample = "```sh\ntrue\n```\n";
  expect_findings(
      untested_commands({
          {"tests/pages.txt",
           "# page and its test\nREADME.md#start  tests/a\ndocs/a.md tests/b\ndocs/b.md "
           "tests/gone\n"
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
          {"README.md:9", "bash: use sh"},
          {"docs/d.md:2", "no test runs these commands"},
          {"tests/pages.txt:3", "tests/b does not mention"},
          {"tests/pages.txt:4", "tests/gone does not mention"},
          {"tests/pages.txt:5", "there is no such sh block"},
      });
  expect_findings(untested_commands({}), {{"tests/pages.txt:1", "is missing"}});
  expect_none(untested_commands({
      {"tests/pages.txt", "README.md tests/a\ndocs/a.md#part tests/b\n"},
      {"tests/a", "reads tests/pages.txt\n"},
      {"tests/b", "runs the section part of docs/a.md\n"},
      {"README.md", sample + "# More\n" + sample + "```json\n{}\n```\n"},
      {"docs/a.md", "# Part\n" + sample + "# Other\n```text\ntrue\n```\n"},
  }));
}

const std::string kSlices = "## Slices\n\n| Slice | What it is | Uses |\n|---|---|---|\n";
const std::string kRecords = "## Decision records\n\n| | Decision |\n|---|---|\n";

TEST(OutdatedLists, reports_a_wrong_table_of_slices) {
  expect_findings(outdated_lists({
                      {"ARCHITECTURE.md", kSlices + "| [a](src/resources/a) | first | b |\n"
                                                    "| [b](src/resources/b) | second | a |\n"
                                                    "| [b](src/resources/b) | again | a, c |\n"
                                                    "| [gone](src/resources/gone) | third | – |\n"
                                                    "| [c](src/resources/c) |\n"},
                      {"docs/how-it-works.md", kRecords},
                      {"src/resources/a/a.cc", ""},
                      {"src/resources/all.cc", ""},
                      {"src/resources/b/USES", "c\n# why\na  # for the noun\n"},
                      {"src/resources/c/queries/get_c.sql", ""},
                  }),
                  {
                      {"ARCHITECTURE.md:5", "[a](src/resources/a): replace \"b\" by \"–\""},
                      {"ARCHITECTURE.md:6", "replace \"a\" by \"a, c\""},
                      {"ARCHITECTURE.md:7", "an earlier row does"},
                      {"ARCHITECTURE.md:8", "nothing in the tree matches"},
                      {"ARCHITECTURE.md:9", "nothing in the tree matches"},
                      {"ARCHITECTURE.md:1", "no row for [c](src/resources/c) with \"–\""},
                  });
  expect_findings(outdated_lists({{"ARCHITECTURE.md", "# Slices\n"}}),
                  {{"ARCHITECTURE.md:1", "\"## Slices\" is missing"},
                   {"docs/how-it-works.md:1", "the page is missing"}});
}

TEST(OutdatedLists, reports_a_wrong_list_of_decision_records) {
  expect_findings(outdated_lists({
                      {"ARCHITECTURE.md", kSlices},
                      {"docs/how-it-works.md", kRecords + "| 1 | [Old](decisions/0001-one.md) |\n"
                                                          "| 3 | [Two](decisions/0002-two.md) |\n"},
                      {"docs/decisions/0001-one.md", "# 1. One\n"},
                      {"docs/decisions/0002-two.md", "# 2. Two\n"},
                      {"docs/decisions/0003-three.md", "# Three\n"},
                  }),
                  {
                      {"docs/how-it-works.md:5", "nothing in the tree matches"},
                      {"docs/how-it-works.md:6", "replace \"3\" by \"2\""},
                      {"docs/how-it-works.md:1", "no row for [One](decisions/0001-one.md)"},
                      {"docs/decisions/0003-three.md:1", "\"# 12. Title\""},
                  });
}

TEST(OutdatedLists, accepts_matching_tables) {
  expect_none(outdated_lists({
      {"ARCHITECTURE.md",
       "# Top\n| x | y |\n|---|---|\n| 1 | 2 |\n" + kSlices +
           "| [a](src/resources/a) | first | – |\n| [b](src/resources/b) | second | a |\n\n"
           "Text.\n## Next\n| x | y |\n|---|---|\n| 1 | 2 |\n"},
      {"docs/how-it-works.md", kRecords + "| 1 | [One](decisions/0001-one.md) |\n"},
      {"docs/decisions/0001-one.md", "# 1. One\n\nText.\n"},
      {"src/resources/a/README.md", ""},
      {"src/resources/b/USES", "a\n"},
  }));
}

}  // namespace
}  // namespace shopbell::house
