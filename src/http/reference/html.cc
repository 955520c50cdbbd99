#include "http/reference/html.h"

#include <format>

#include "base/base64.h"
#include "base/digest.h"

namespace shopbell::http {

namespace {

constexpr std::string_view kStyle = R"(
:root {
  color-scheme: light dark;
  --ground: #fbfaf8; --raised: #f2f0ec; --line: #d9d5cd; --text: #1f2328; --quiet: #575d65;
  --link: #0a5c55; --mark: #e5f1ef; --on-method: #fff;
  --get: #0a5c55; --post: #1d4f91; --put: #6b4400; --delete: #9c2230;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181b; --raised: #1e2226; --line: #363c43; --text: #e6e4df; --quiet: #a6adb5;
    --link: #74d2c6; --mark: #1b302e; --on-method: #101315;
    --get: #74d2c6; --post: #8fbcf5; --put: #e3b566; --delete: #f3979f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0 0 .6rem; text-wrap: balance; }
h1 { font-size: 1.9rem; }
h2 { font-size: 1.45rem; margin-top: 3.5rem; scroll-margin-top: 1rem; }
h3 { font-size: 1.1rem; margin-top: 1.8rem; }
h4 { font-size: .95rem; margin: 1.4rem 0 .5rem; }
p { margin: 0 0 .8rem; max-width: 46rem; }
code, pre { font: .875em/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
td code, th code { overflow-wrap: break-word; }
p code, td code, dd code { background: var(--raised); padding: .1em .3em; border-radius: 4px; }
pre { margin: 0 0 1rem; padding: .8rem 1rem; overflow-x: auto; background: var(--raised);
  border: 1px solid var(--line); border-radius: 8px; }
pre code { font-size: 1em; overflow-wrap: normal; }
.skip { position: absolute; left: -100vw; padding: .6rem 1rem; background: var(--ground); z-index: 1; }
.skip:focus { left: .5rem; top: .5rem; }
.quiet { color: var(--quiet); }
.frame { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem;
  border-right: 1px solid var(--line); font-size: .9rem; }
nav p { margin: 0 .5rem 1rem; }
nav h2 { font-size: .9rem; margin: 1.4rem .5rem .3rem; }
nav .quiet { font-size: .85rem; margin: 0 .5rem .4rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .25rem .5rem;
  border-radius: 6px; color: inherit; text-decoration: none; }
nav li a:hover { background: var(--mark); }
nav .method { flex: none; min-width: 5.6em; text-align: center; font-size: .65rem; }
main { min-width: 0; max-width: 68rem; padding: 2.5rem clamp(1rem, 4vw, 3.5rem) 5rem; }
main.alone { max-width: 48rem; margin: 0 auto; }
section[id] { padding: 1.6rem 0; border-top: 1px solid var(--line); }
section[id]:target > h3 { background: var(--mark); border-radius: 6px; }
section[id] h3 { margin: 0 0 .5rem; padding: .25rem; }
h3 a { color: inherit; text-decoration: none; display: inline-flex; flex-wrap: wrap; gap: .6rem;
  align-items: center; }
h3 a:hover code { text-decoration: underline; }
h3 code { font-size: 1.05rem; }
.method { display: inline-block; padding: .1em .5em; border-radius: 4px; background: var(--get);
  color: var(--on-method); font: 700 .75rem/1.6 system-ui, sans-serif; letter-spacing: .03em; }
.post { background: var(--post); } .put, .patch { background: var(--put); }
.delete { background: var(--delete); }
.summary { font-weight: 600; margin-bottom: .3rem; }
.scroll { overflow-x: auto; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; min-width: 38rem; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem; font-weight: 400; }
thead th { font-weight: 600; color: var(--quiet); background: var(--raised); white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { min-width: 9.5rem; }
td:last-child { min-width: 16rem; }
tbody th code { font-weight: 600; }
.d1 { padding-left: 1.75rem; } .d2 { padding-left: 2.75rem; } .d3 { padding-left: 3.75rem; }
.tag { display: inline-block; padding: 0 .4em; border: 1px solid var(--line); border-radius: 4px;
  color: var(--quiet); font-size: .75rem; white-space: nowrap; }
.tag.needed { color: var(--text); border-color: currentColor; }
td ul { margin: 0; padding: 0; list-style: none; }
td p { margin: 0; }
details { margin: 0 0 .6rem; }
details[open] { margin-bottom: 1rem; }
summary { cursor: pointer; padding: .3rem 0; font-weight: 600; font-size: .95rem; }
summary + * { margin-top: .5rem; }
dt { font-weight: 600; } dd { margin: 0 0 .8rem; }
@media (max-width: 56rem) {
  .frame { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; height: auto; max-height: 45vh; border-right: 0;
    border-bottom: 1px solid var(--line); }
  main { padding-top: 1.5rem; }
  h1 { font-size: 1.6rem; }
}
@media print {
  body { background: none; color: #000; font-size: 10pt; }
  nav, .skip { display: none; }
  .frame { display: block; }
  main { max-width: none; padding: 0; }
  .scroll, pre { overflow: visible; border-color: #999; }
  pre { white-space: pre-wrap; }
  table { min-width: 0; }
  tr, pre { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; }
  .method { border: 1px solid; background: none; color: #000; }
}
)";

// Allows only the inline style and the empty data: icon, which keeps browsers from requesting
// /favicon.ico.
const std::string& content_policy() {
  static const std::string policy = std::format(
      "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      to_base64(sha256(kStyle)));
  return policy;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string prose_html(std::string_view text) {
  std::string html;
  while (true) {
    const auto open = text.find('`');
    const auto close = open == text.npos ? text.npos : text.find('`', open + 1);
    if (close == text.npos) return html + escape_html(text);
    html += escape_html(text.substr(0, open));
    html += std::format("<code>{}</code>", escape_html(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
}

Response html_page(std::string_view title, std::string_view body) {
  std::string page = std::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      escape_html(title), kStyle, body);
  return {.content_type = "text/html; charset=utf-8",
          .body = std::move(page),
          .headers = {{"Content-Security-Policy", content_policy()},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace shopbell::http
