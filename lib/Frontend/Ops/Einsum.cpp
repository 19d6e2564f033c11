//===- Einsum.cpp - Einstein sums as products of pairs --------------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Index numbers of the dimensions of a tensor: letters by their code, those of an ellipsis negative, counted from the
/// right end (-1 is the last).
using Indices = SmallVector<int64_t>;

struct Term {
  Value value;
  Indices indices;
};

class Einsum {
public:
  explicit Einsum(NodeBuilder &node) : node(node) {}

  Value import() {
    std::string equation = node.getString("equation", "");
    llvm::erase(equation, ' ');
    auto [left, right] = StringRef(equation).split("->");
    SmallVector<StringRef> texts;
    left.split(texts, ',');
    if (texts.size() != node.numInputs())
      return node.failValue("the equation has " + Twine(texts.size()) + " terms for " + Twine(node.numInputs()) +
                            " operands");
    for (auto [i, text] : llvm::enumerate(texts))
      if (!readTerm(text, node.required(unsigned(i))))
        return {};
    if (StringRef(equation).contains("->") ? !readOutput(right) : !implicitOutput())
      return {};
    for (Term &term : terms)
      takeDiagonals(term);
    dropStretched();
    for (int64_t index = -ellipsis; index < 0; ++index)
      stretchAtRunTime(index);
    return combine();
  }

private:
  bool refuse(const Twine &message) {
    (void)node.fail(message);
    return false;
  }

  /// Letters and one ellipsis that stands for `hidden` dimensions.
  bool parse(StringRef text, int64_t hidden, Indices &indices) {
    bool seen = false;
    while (!text.empty()) {
      if (text.consume_front("...")) {
        if (seen)
          return refuse("a term of the equation has two ellipses");
        seen = true;
        for (int64_t i = hidden; i > 0; --i)
          indices.push_back(-i);
        continue;
      }
      if (!llvm::isAlpha(text.front()))
        return refuse("the equation holds a character that is neither a letter nor part of an ellipsis");
      indices.push_back(text.front());
      text = text.drop_front();
    }
    return true;
  }

  bool readTerm(StringRef text, Value value) {
    if (!value)
      return false;
    bool hasEllipsis = text.contains("...");
    int64_t letters = int64_t(text.size()) - (hasEllipsis ? 3 : 0);
    int64_t hidden = node.rankOf(value) - letters;
    if (hidden < 0 || (hidden > 0 && !hasEllipsis))
      return refuse("term '" + text + "' does not fit an operand of rank " + Twine(node.rankOf(value)));
    ellipsis = std::max(ellipsis, hasEllipsis ? hidden : 0);
    Term term{value, {}};
    if (!parse(text, hidden, term.indices))
      return false;
    terms.push_back(term);
    return true;
  }

  bool readOutput(StringRef text) {
    if (!parse(text, ellipsis, output))
      return false;
    for (auto [i, named] : llvm::enumerate(output)) {
      int64_t index = named;
      if (llvm::is_contained(ArrayRef<int64_t>(output).take_front(i), index))
        return refuse("the result of the equation names an index twice");
      if (!llvm::any_of(terms, [&](Term &term) { return llvm::is_contained(term.indices, index); }))
        return refuse("the result of the equation has an index that no operand has");
    }
    return true;
  }

  /// The ellipsis, then every letter that occurs once, by its code.
  bool implicitOutput() {
    std::map<int64_t, int> count;
    for (Term &term : terms)
      for (int64_t index : term.indices)
        ++count[index];
    for (int64_t i = ellipsis; i > 0; --i)
      output.push_back(-i);
    for (auto [index, times] : count)
      if (index >= 0 && times == 1)
        output.push_back(index);
    return true;
  }

  /// An index that a term names twice: everything off the diagonal becomes 0 and is summed away.
  void takeDiagonals(Term &term) {
    for (size_t i = 0; i < term.indices.size(); ++i)
      for (size_t j = term.indices.size(); j-- > i + 1;) {
        if (term.indices[i] != term.indices[j])
          continue;
        auto positions = [&](size_t d) {
          Value range = node.make<graph::RangeOp>(node.scalarI64(0), node.scalarOf(node.dim(term.value, int64_t(d))),
                                                  node.scalarI64(1));
          return node.perChannel(range, node.rankOf(term.value), int64_t(d));
        };
        Value onDiagonal = node.compare(graph::Predicate::Eq, positions(i), positions(j));
        Value kept = node.select(onDiagonal, term.value, node.scalarLike(0, term.value));
        term.value = node.reduce(graph::ReduceKind::Sum, kept, {int64_t(j)}, /*keepDims=*/false);
        term.indices.erase(term.indices.begin() + int64_t(j));
      }
  }

  /// Extents of 1 that stretch to another operand's: the product needs no such dimension.
  void dropStretched() {
    for (Term &term : terms) {
      Indices kept;
      SmallVector<int64_t> dropped;
      for (auto [d, named] : llvm::enumerate(term.indices)) {
        int64_t index = named;
        bool stretches = node.rankOf(term.value) > int64_t(d) && node.shapeOf(term.value)[d] == 1 &&
                         llvm::any_of(terms, [&](Term &other) {
                           auto it = llvm::find(other.indices, index);
                           return &other != &term && it != other.indices.end() &&
                                  node.shapeOf(other.value)[it - other.indices.begin()] != 1;
                         });
        if (stretches)
          dropped.push_back(int64_t(d));
        else
          kept.push_back(index);
      }
      if (dropped.empty())
        continue;
      term.value = node.squeeze(term.value, dropped);
      term.indices = kept;
    }
  }

  /// A dimension of the ellipsis that is 1 or equal at run time only: every term gets the extent that they have in
  /// common. Letters are taken to be equal, and a run checks that: copies of operands for the rare model whose letters
  /// stretch would slow down all others.
  void stretchAtRunTime(int64_t index) {
    graph::ExtentBuilder extents;
    ShapeMath math(node);
    SmallVector<std::pair<Term *, int64_t>> holders;
    for (Term &term : terms)
      if (auto it = llvm::find(term.indices, index); it != term.indices.end())
        holders.push_back({&term, it - term.indices.begin()});
    auto isKnown = [&](auto holder) {
      return !ShapedType::isDynamic(node.shapeOf(holder.first->value)[holder.second]);
    };
    bool agree = llvm::all_of(holders, [&](auto holder) {
      return extents.dim(holder.first->value, holder.second) ==
             extents.dim(holders.front().first->value, holders.front().second);
    });
    if (agree || llvm::all_of(holders, isKnown))
      return; // Extents that are known and differ are reported by the product.
    // A known extent is not 1 here, or the term would lack the dimension.
    auto known = llvm::find_if(holders, isKnown);
    Value common = math.dim(holders.front().first->value, holders.front().second);
    if (known != holders.end())
      common = math.dim(known->first->value, known->second);
    else
      for (auto [term, d] : llvm::drop_begin(holders))
        common = math.selectEqual(common, math.number(1), math.dim(term->value, d), common);
    for (auto [term, d] : holders) {
      SmallVector<Piece> shape;
      for (int64_t i = 0; i < node.rankOf(term->value); ++i)
        shape.push_back(i == d ? Piece(common) : node.piece(term->value, i));
      term->value = node.broadcastTo(term->value, node.joinShape(shape));
    }
  }

  /// Sums away what neither the result nor the other terms need, then orders the rest like the result.
  Value finish(Term term) {
    SmallVector<int64_t> summed;
    Indices kept;
    for (auto [d, index] : llvm::enumerate(term.indices)) {
      if (llvm::is_contained(output, index))
        kept.push_back(index);
      else
        summed.push_back(int64_t(d));
    }
    if (!summed.empty())
      term.value = node.reduce(graph::ReduceKind::Sum, term.value, summed, /*keepDims=*/false);
    SmallVector<int64_t> perm;
    for (int64_t index : output)
      perm.push_back(llvm::find(kept, index) - kept.begin());
    return node.transpose(term.value, perm);
  }

  Value combine() {
    if (terms.size() == 1)
      return finish(terms[0]);
    Term left = terms[0];
    for (size_t next = 1; next < terms.size(); ++next) {
      bool last = next + 1 == terms.size();
      Term &right = terms[next];
      auto needed = [&](int64_t index) {
        if (llvm::is_contained(output, index))
          return true;
        for (size_t later = next + 1; later < terms.size(); ++later)
          if (llvm::is_contained(terms[later].indices, index))
            return true;
        return false;
      };
      Indices result;
      if (last) {
        result = output;
      } else {
        for (int64_t index : llvm::concat<int64_t>(left.indices, right.indices))
          if (needed(index) && !llvm::is_contained(result, index))
            result.push_back(index);
      }
      left = {node.make<graph::ContractOp>(left.value, right.value, numbers(left.indices), numbers(right.indices),
                                           numbers(result), node.elementOf(left.value)),
              result};
    }
    return left.value;
  }

  /// Contract wants small numbers.
  SmallVector<int64_t> numbers(ArrayRef<int64_t> indices) {
    SmallVector<int64_t> result;
    for (int64_t index : indices)
      result.push_back(numbering.try_emplace(index, int64_t(numbering.size())).first->second);
    return result;
  }

  NodeBuilder &node;
  SmallVector<Term> terms;
  Indices output;
  int64_t ellipsis = 0;
  std::map<int64_t, int64_t> numbering;
};

LogicalResult importEinsum(NodeBuilder &node) {
  node.setOutput(0, Einsum(node).import());
  return success(!node.failed());
}

} // namespace

void frontend::registerEinsum(OpRegistry &registry) {
  registry.add("", "Einsum", importEinsum, "letters stretch from 1 where that is known beforehand");
}
