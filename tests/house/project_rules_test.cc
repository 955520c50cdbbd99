#include "expect.h"
#include "rules.h"

namespace shopbell::house {
namespace {

TEST(ProblemCodesUsed, reports_violations) {
  const std::string table =
      "#define SHOPBELL_PROBLEMS(X) \\\n  X(internal, 500, \"X(no, 1)\") \\\n  X(not_found, 404, "
      "\"\")\n";
  const std::string used =
      "throw Problem{Code::internal, {}}; throw Problem{Code::not_found, {}};\n";
  expect_findings(
      problem_codes_used({
          {"src/base/problem.h", table},
          {"src/base/problem.cc", used},
          {"src/http/a_test.cc", used},
          {"src/testing/a.cc", used},
          {"tests/load/a.cc", used},
          {"src/http/a.cc", "f(Code::not_found_here); // Code::not_found\nf(Code::internal);\n"},
      }),
      {{"src/base/problem.h:3", "no code uses Code::not_found"}});
  expect_findings(problem_codes_used({{"src/base/problem.h", "int x;\n"}}),
                  {{"src/base/problem.h:1", "no X(code, …) row"}});
  expect_findings(problem_codes_used({}), {{"src/base/problem.h:1", "is missing"}});
  expect_none(problem_codes_used({{"src/base/problem.h", table}, {"src/http/a.cc", used}}));
}

TEST(LocalPathsAndHosts, reports_violations) {
  // The path is split, because the rule reads this file too.
  const std::string root = std::string{"/ro"} + "ot/";
  const std::string home = std::string{"/ho"} + "me/";
  const std::string work = std::string{"/wo"} + "rk/";
  const std::string shared = std::string{"../sha"} + "red";
  const std::string debian = std::string{"deb.deb"} + "ian.org";
  const std::string npm = std::string{"registry.np"} + "mjs.org";
  const std::string python = std::string{"py"} + "pi.org";
  const std::string maven = std::string{"repo.mav"} + "en.apache.org";
  const std::string go = std::string{"proxy.gol"} + "ang.org";
  expect_findings(local_paths_and_hosts({
                      {"README.md", "a\nsee " + root + ".cache and\n`" + home + "ada/x`\n"},
                      {"tools/a", "cd \"" + work + "main\"\n" + work + "x\n"},
                      {"docs/a.md", "see " + shared + "/x\n"},
                      {"package-lock.json", "\"https://" + npm + "/x\"\nhttps://" + python + "\n"},
                      {"deploy/a", debian + "\n" + maven + "\n" + go + "\n"},
                  }),
                  {
                      {"README.md:2", root},
                      {"README.md:3", home},
                      {"tools/a:1", work},
                      {"tools/a:2", work},
                      {"docs/a.md:1", shared},
                      {"package-lock.json:1", npm},
                      {"package-lock.json:2", python},
                      {"deploy/a:1", debian},
                      {"deploy/a:2", "repo.mav"},
                      {"deploy/a:3", go},
                  });
  expect_none(local_paths_and_hosts({
      {"README.md", "https://example.com" + home + "page $HOME" + work + " " + home + "$USER\n"},
      {"cmake/a.cmake", "${ROOT}" + work + "x network/ ./build\n"},
  }));
}

TEST(UndocumentedLibraries, reports_violations) {
  const std::string packages =
      "# build  not-a-dev\nbuild  libpq-dev\nbuild cmake\ntest   libgtest-dev\n";
  expect_findings(undocumented_libraries({
                      {"tools/packages.txt", packages},
                      {"ARCHITECTURE.md", "| libpq-dev-extra | xlibgtest-dev |\n"},
                  }),
                  {
                      {"tools/packages.txt:2", "libpq-dev has no row in ARCHITECTURE.md"},
                      {"tools/packages.txt:4", "libgtest-dev has no row"},
                  });
  expect_findings(undocumented_libraries({{"tools/packages.txt", packages}}),
                  {{"ARCHITECTURE.md:1", "create it"}});
  expect_findings(undocumented_libraries({{"ARCHITECTURE.md", ""}}),
                  {{"tools/packages.txt:1", "is missing"}});
  expect_none(undocumented_libraries({
      {"tools/packages.txt", packages},
      {"ARCHITECTURE.md", "| `libpq-dev` | pg |\n| libgtest-dev, tests |\n"},
  }));
}

}  // namespace
}  // namespace shopbell::house
