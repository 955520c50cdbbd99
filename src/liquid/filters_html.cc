// Filters on HTML, URLs and JSON.
#include <algorithm>
#include <array>

#include "base/percent.h"
#include "json/writer.h"
#include "liquid/characters.h"
#include "liquid/escape.h"
#include "liquid/filters.h"

namespace shopbell::liquid {

namespace {

Value kept_escaped(const FilterInput& in, std::string_view text) {
  std::string html;
  append_escaped(html, text);
  return in.work.keep(html);
}

Value escape(const FilterInput& in) { return kept_escaped(in, in.text()); }
Value escape_once(const FilterInput& in) { return kept_escaped(in, unescaped(in.text())); }

// The renderer prints a value unescaped if this is its last filter.
Value raw(const FilterInput& in) { return in.value; }

Value newline_to_br(const FilterInput& in) {
  std::string html;
  for (const char c : in.text()) {
    if (c == '\n') {
      if (html.ends_with('\r')) html.pop_back();
      html += "<br />\n";
    } else {
      html += c;
    }
  }
  return in.work.keep(html);
}

// Removes scripts, styles, comments and tags. What is not closed stays.
Value strip_html(const FilterInput& in) {
  struct Kind {
    std::string_view open;
    std::string_view close;
    bool unclosed = false;  // no later one is closed either
  };
  std::array<Kind, 4> kinds{
      {{"<script", "</script>"}, {"<style", "</style>"}, {"<!--", "-->"}, {"<", ">"}}};
  const std::string_view html = in.text();
  std::string text;
  std::size_t at = 0;
  while (at < html.size()) {
    const std::size_t open = std::min(html.find('<', at), html.size());
    text += html.substr(at, open - at);
    at = open;
    for (auto& kind : kinds) {
      if (kind.unclosed || !html.substr(open).starts_with(kind.open)) continue;
      const std::size_t close = html.find(kind.close, open + kind.open.size());
      kind.unclosed = close == npos;
      if (kind.unclosed) continue;
      at = close + kind.close.size();
      break;
    }
    if (at == open) {
      text += html.substr(at);
      break;
    }
  }
  return in.work.keep(text);
}

Value url_encode(const FilterInput& in) {
  std::string url;
  for (const char c : in.text()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view{"-_.!~*'()"}.contains(c);
    if (plain) {
      url += c;
    } else if (c == ' ') {
      url += '+';
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      url.append(1, '%').append(1, kHex[byte >> 4U]).append(1, kHex[byte & 0xfU]);
    }
  }
  return in.work.keep(url);
}

Value url_decode(const FilterInput& in) {
  std::string url{in.text()};
  std::ranges::replace(url, '+', ' ');
  const auto decoded = percent_decode(url);
  if (!decoded) throw Stop{"`url_decode` cannot decode this text: a `%` starts no character."};
  return in.work.keep(*decoded);
}

void write_json(Workspace& work, const Value& value, std::string& json) {
  if (const auto* object = value.as<Object>()) return work.append(json, object->json.to_json());
  if (is_list(value)) {
    const List list = work.items_of(value);
    json += '[';
    for (std::size_t i = 0; i < list.size; ++i) {
      if (i > 0) json += ',';
      write_json(work, list.items[i], json);
    }
    json += ']';
  } else if (value.is<Number>() || value.is<bool>()) {
    work.append(json, work.text_of(value));
  } else if (const auto* text = value.as<std::string_view>()) {
    work.append(json, *text);  // checks the room
    json.resize(json.size() - text->size());
    json::append_quoted(json, *text);
  } else {
    work.append(json, "null");
  }
}

Value json(const FilterInput& in) { return in.work.keep(json_of(in.work, in.value)); }

constexpr std::array kHtmlFilters{
    Filter{"escape", 0, 0, escape},
    Filter{"escape_once", 0, 0, escape_once},
    Filter{"json", 0, 0, json},
    Filter{"newline_to_br", 0, 0, newline_to_br},
    Filter{"raw", 0, 0, raw},
    Filter{"strip_html", 0, 0, strip_html},
    Filter{"url_decode", 0, 0, url_decode},
    Filter{"url_encode", 0, 0, url_encode},
};

}  // namespace

std::string json_of(Workspace& work, const Value& value) {
  std::string json;
  write_json(work, value, json);
  return json;
}

std::span<const Filter> html_filters() { return kHtmlFilters; }

}  // namespace shopbell::liquid
