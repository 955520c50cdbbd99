#include "liquid/parser.h"

#include <algorithm>
#include <array>
#include <format>

#include "liquid/reader.h"
#include "liquid/scanner.h"
#include "liquid/scope.h"
#include "liquid/suggest.h"

namespace shopbell::liquid {

namespace {

// The tags that a suggestion may name.
constexpr std::array<std::string_view, 11> kTags{"assign",  "break",    "capture", "case",
                                                 "comment", "continue", "cycle",   "for",
                                                 "if",      "raw",      "unless"};
// The tags that end a block or a branch.
constexpr std::array<std::string_view, 10> kInnerTags{
    "else",   "elsif", "endcapture", "endcase",   "endcomment",
    "endfor", "endif", "endraw",     "endunless", "when"};

// A parse that cannot go on after its fault.
struct FatalFault {
  SyntaxFault fault;
};

std::string_view tag_name(std::string_view content) {
  if (content.starts_with('#')) return content.substr(0, 1);
  return content.substr(0, name_length(content));
}

class Parser {
 public:
  Parser(Compiled& compiled, const Options& options)
      : compiled_{compiled}, scope_{options.roots}, scanned_{scan(compiled.source)} {}

  std::vector<SyntaxFault> run() {
    try {
      compiled_.body = block({});
    } catch (FatalFault& fatal) {
      faults_.push_back(std::move(fatal.fault));
    }
    if (scanned_.fault) faults_.push_back(std::move(*scanned_.fault));
    std::ranges::move(scope_.unknown_names(), std::back_inserter(faults_));
    scope_.store_names(compiled_);
    return std::move(faults_);
  }

 private:
  using Ends = std::initializer_list<std::string_view>;

  // A tag that was opened and is not closed yet.
  struct Open {
    std::string_view name;
    Place place;
  };

  // Parses nodes up to a tag in `ends`, which becomes `end_`.
  Block block(Ends ends) {
    Block nodes;
    while (next_ < scanned_.pieces.size()) {
      const Piece& piece = scanned_.pieces[next_++];
      const std::string_view name =
          piece.kind == Piece::Kind::tag ? tag_name(piece.content) : std::string_view{};
      if (std::ranges::contains(ends, name) && !name.empty()) {
        end_ = &piece;
        return nodes;
      }
      try {
        parse_piece(piece, name, nodes);
      } catch (SyntaxFault& fault) {
        add_fault(std::move(fault));
      }
    }
    if (!open_.empty() && !scanned_.fault) {
      throw FatalFault{
          {open_.back().place,
           std::format("`{0}` is not closed: `{{% end{0} %}}` is missing.", open_.back().name)}};
    }
    if (!open_.empty()) throw FatalFault{std::move(*std::exchange(scanned_.fault, std::nullopt))};
    return nodes;
  }

  void add_fault(SyntaxFault fault) {
    faults_.push_back(std::move(fault));
    if (faults_.size() >= kFaultsMax) {
      SyntaxFault last = std::move(faults_.back());
      faults_.pop_back();
      throw FatalFault{std::move(last)};
    }
  }

  // Runs the part of a tag that may fail, so that the blocks within it are parsed in any case.
  template <class Part>
  void attempt(Part part) {
    try {
      part();
    } catch (SyntaxFault& fault) {
      add_fault(std::move(fault));
    }
  }

  Reader reader_of(std::string_view content) { return {compiled_, scope_, content}; }

  // Reads what follows the tag's name.
  Reader arguments_of(const Piece& tag) {
    return reader_of(tag.content.substr(tag_name(tag.content).size()));
  }

  void parse_piece(const Piece& piece, std::string_view name, Block& nodes) {
    const auto add = [&](auto content) { nodes.push_back({std::move(content), piece.place}); };
    if (piece.kind == Piece::Kind::text) return add(piece.content);
    if (piece.kind == Piece::Kind::output) return add(output(reader_of(piece.content)));
    if (name == "if") return add(parse_if(piece, false));
    if (name == "unless") return add(parse_if(piece, true));
    if (name == "case") return add(parse_case(piece));
    if (name == "for") return add(parse_for(piece));
    if (name == "assign") return add(parse_assign(piece));
    if (name == "capture") return add(parse_capture(piece));
    if (name == "cycle") return add(parse_cycle(piece));
    if (name == "break") return add(jump(piece, Jump::leave_loop));
    if (name == "continue") return add(jump(piece, Jump::next_item));
    if (name == "comment") return skip_comment(piece);
    if (name == "#") return check_comment(piece);
    if (name == "raw") return skip_raw(nodes);
    refuse(piece, name);
  }

  [[noreturn]] void refuse(const Piece& piece, std::string_view name) const {
    if (name.empty()) throw SyntaxFault{piece.place, "This tag has no name."};
    if (!std::ranges::contains(kInnerTags, name)) {
      throw SyntaxFault{piece.place,
                        std::format("There is no tag `{}`. {}", name, suggestion(name, kTags))};
    }
    if (open_.empty())
      throw SyntaxFault{piece.place, std::format("`{}` has no tag that it belongs to.", name)};
    throw FatalFault{
        {piece.place,
         std::format("`{}` does not belong to `{}` of line {}, which is not closed.", name,
                     open_.back().name, fault_at(compiled_.source, open_.back().place, "").line)}};
  }

  void open(const Piece& tag) {
    if (open_.size() >= kNestingMax) {
      throw FatalFault{{tag.place, std::format("Tags are nested more than {} deep.", kNestingMax)}};
    }
    open_.push_back({tag_name(tag.content), tag.place});
  }

  static Output output_of(Filtered value, Part part) {
    Output output{std::move(value)};
    const std::string_view last =
        output.value.filters.empty() ? "" : output.value.filters.back().filter->name;
    output.escaped = part == Part::html && last != "raw" && last != "escape";
    return output;
  }

  Output output(Reader reader) {
    Filtered value = reader.filtered();
    reader.expect_end();
    return output_of(std::move(value), compiled_.part);
  }

  Filtered condition(const Piece& tag) {
    Reader reader = arguments_of(tag);
    Filtered value = reader.filtered();
    reader.expect_end();
    return value;
  }

  If parse_if(const Piece& tag, bool unless) {
    If node;
    open(tag);
    node.branches.emplace_back().negated = unless;
    attempt([&] { node.branches.back().condition = condition(tag); });
    bool has_else = false;
    while (true) {
      node.branches.back().body =
          unless ? block({"elsif", "else", "endunless"}) : block({"elsif", "else", "endif"});
      const Piece& end = *end_;
      const std::string_view name = tag_name(end.content);
      if (name.starts_with("end")) {
        attempt([&] { arguments_of(end).expect_end(); });
        open_.pop_back();
        return node;
      }
      node.branches.emplace_back();
      attempt([&] {
        if (has_else) throw SyntaxFault{end.place, std::format("`{}` after `else`.", name)};
        if (name == "elsif") node.branches.back().condition = condition(end);
        if (name == "else") expect_plain_else(end);
      });
      has_else = has_else || name == "else";
    }
  }

  void expect_plain_else(const Piece& tag) {
    Reader reader = arguments_of(tag);
    if (reader.accept_word("if"))
      throw SyntaxFault{tag.place, "Use `elsif` in place of `else if`."};
    reader.expect_end();
  }

  Case parse_case(const Piece& tag) {
    Case node;
    open(tag);
    attempt([&] { node.value = condition(tag); });
    block({"when", "else", "endcase"});  // what is before the first `when` is never printed
    bool has_else = false;
    while (tag_name(end_->content) != "endcase") {
      const Piece& branch = *end_;
      std::vector<Operand> values;
      attempt([&] {
        if (has_else) {
          throw SyntaxFault{branch.place,
                            std::format("`{}` after `else`.", tag_name(branch.content))};
        }
        if (tag_name(branch.content) == "when") values = when_values(branch);
        if (tag_name(branch.content) == "else") expect_plain_else(branch);
      });
      Block body = block({"when", "else", "endcase"});
      if (tag_name(branch.content) == "else") {
        has_else = true;
        node.otherwise = std::move(body);
      } else {
        node.whens.push_back({std::move(values), std::move(body)});
      }
    }
    attempt([&] { arguments_of(*end_).expect_end(); });
    open_.pop_back();
    return node;
  }

  std::vector<Operand> when_values(const Piece& tag) {
    Reader reader = arguments_of(tag);
    std::vector<Operand> values;
    do {
      values.push_back(reader.operand());
    } while (reader.accept(',') || reader.accept_word("or"));
    reader.expect_end();
    return values;
  }

  For parse_for(const Piece& tag) {
    For node;
    open(tag);
    std::string_view variable;
    attempt([&] { variable = for_header(tag, node); });
    scope_.enter_loop(variable);
    node.body = block({"else", "endfor"});
    scope_.leave_loop();
    if (tag_name(end_->content) == "else") {
      attempt([&] { expect_plain_else(*end_); });
      node.otherwise = block({"endfor"});
    }
    attempt([&] { arguments_of(*end_).expect_end(); });
    open_.pop_back();
    return node;
  }

  std::string_view for_header(const Piece& tag, For& node) {
    Reader reader = arguments_of(tag);
    const std::string_view variable = reader.expect_name("the variable");
    if (!reader.accept_word("in"))
      throw SyntaxFault{tag.place, "`in` is missing. A loop is written as `for item in list`."};
    node.list = reader.operand();
    while (!reader.at_end()) {
      reader.accept(',');
      if (reader.accept_word("reversed")) {
        node.reversed = true;
        continue;
      }
      auto& parameter = reader.accept_word("limit")    ? node.limit
                        : reader.accept_word("offset") ? node.offset
                                                       : unknown_parameter(reader, node);
      reader.expect(':', "the name");
      parameter = reader.operand();
    }
    return variable;
  }

  static std::optional<Operand>& unknown_parameter(Reader& reader, For& node) {
    if (reader.at_end()) return node.limit;
    throw SyntaxFault{static_cast<Place>(reader.position()),
                      "A loop has the parameters `limit: 3`, `offset: 1` and `reversed`."};
  }

  Assign parse_assign(const Piece& tag) {
    Reader reader = arguments_of(tag);
    const std::string_view name = reader.expect_name("the variable");
    const std::size_t number = scope_.assign(name);
    reader.expect('=', "the name");
    Assign node{number, reader.filtered()};
    reader.expect_end();
    return node;
  }

  Capture parse_capture(const Piece& tag) {
    Capture node;
    open(tag);
    attempt([&] {
      Reader reader = arguments_of(tag);
      const auto quoted = reader.quoted();
      node.name = scope_.assign(quoted ? *quoted : reader.expect_name("the variable"));
      reader.expect_end();
    });
    node.body = block({"endcapture"});
    open_.pop_back();
    return node;
  }

  Cycle parse_cycle(const Piece& tag) {
    Reader reader = arguments_of(tag);
    Cycle node;
    const std::size_t begin = reader.position();
    node.group = reader.operand();
    if (!reader.accept(':')) {
      node.group.reset();
      reader.go_back(begin);
    }
    const std::size_t values = reader.position();
    do {
      Output value = output_of(reader.filtered(), compiled_.part);
      node.escaped.push_back(value.escaped);
      node.values.push_back(std::move(value.value));
    } while (reader.accept(','));
    reader.expect_end();
    node.key = reader.since(values);
    return node;
  }

  Jump jump(const Piece& tag, Jump jump) {
    arguments_of(tag).expect_end();
    if (scope_.in_loop()) return jump;
    throw SyntaxFault{tag.place, std::format("`{}` is possible only inside a `for` loop.",
                                             tag_name(tag.content))};
  }

  // The scanner has found `endraw`; between both there is at most one text.
  void skip_raw(Block& nodes) {
    while (next_ < scanned_.pieces.size()) {
      const Piece& piece = scanned_.pieces[next_++];
      if (piece.kind == Piece::Kind::tag) return;
      nodes.push_back({piece.content, piece.place});
    }
  }

  void skip_comment(const Piece& tag) {
    while (next_ < scanned_.pieces.size()) {
      const Piece& piece = scanned_.pieces[next_++];
      if (piece.kind == Piece::Kind::tag && tag_name(piece.content) == "endcomment") return;
    }
    if (scanned_.fault) return;
    throw FatalFault{{tag.place, "`comment` is not closed: `{% endcomment %}` is missing."}};
  }

  static void check_comment(const Piece& tag) {
    for (std::size_t line = tag.content.find('\n'); line != std::string_view::npos;
         line = tag.content.find('\n', line + 1)) {
      const std::size_t first = tag.content.find_first_not_of(" \t\r\n", line);
      if (first != std::string_view::npos && tag.content[first] != '#')
        throw SyntaxFault{tag.place, "Every line of this comment must start with `#`."};
    }
  }

  Compiled& compiled_;
  Scope scope_;
  Scanned scanned_;
  std::size_t next_ = 0;
  const Piece* end_ = nullptr;
  std::vector<Open> open_;
  std::vector<SyntaxFault> faults_;
};

}  // namespace

std::vector<Fault> parse(Compiled& compiled, const Options& options) {
  std::vector<SyntaxFault> found = Parser{compiled, options}.run();
  std::ranges::stable_sort(found, {}, &SyntaxFault::place);
  if (found.size() > kFaultsMax) found.resize(kFaultsMax);
  std::vector<Fault> faults;
  faults.reserve(found.size());
  for (auto& fault : found)
    faults.push_back(fault_at(compiled.source, fault.place, std::move(fault.message)));
  return faults;
}

}  // namespace shopbell::liquid
