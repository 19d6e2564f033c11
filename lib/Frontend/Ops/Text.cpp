//===- Text.cpp - TfIdfVectorizer -----------------------------------------===//

#include "lib/Frontend/NodeBuilder.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// The n-grams of one length.
struct Grams {
  int64_t length;
  /// Row-major: one row a gram.
  SmallVector<int64_t> items;
  int64_t count() const { return int64_t(items.size()) / length; }
};

/// Splits the pool as `ngram_counts` says; nullopt after a diagnostic.
std::optional<SmallVector<Grams>> readPool(NodeBuilder &node) {
  auto pool = node.getInts("pool_int64s"), starts = node.getInts("ngram_counts");
  if (!pool || !starts) {
    (void)node.fail("needs attributes 'pool_int64s' and 'ngram_counts'; strings are not supported");
    return std::nullopt;
  }
  SmallVector<Grams> result;
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t begin = (*starts)[i], end = i + 1 < starts->size() ? (*starts)[i + 1] : int64_t(pool->size());
    int64_t length = int64_t(i) + 1;
    if (begin < 0 || end < begin || end > int64_t(pool->size()) || (end - begin) % length) {
      (void)node.fail("attribute 'ngram_counts' does not divide the pool");
      return std::nullopt;
    }
    result.push_back({length, SmallVector<int64_t>(pool->begin() + begin, pool->begin() + end)});
  }
  return result;
}

/// How often each gram occurs in each row of `x` ([rows, length]) with `skip` items left out between its items.
Value countGrams(NodeBuilder &node, Value x, const Grams &grams, int64_t skip) {
  int64_t step = skip + 1, n = grams.length;
  Value matches;
  for (int64_t j = 0; j < n; ++j) {
    int64_t after = (n - 1 - j) * step;
    Value window = node.unsqueeze(node.slice(x, j * step, after ? -after : INT64_MAX, 1), {2});
    SmallVector<int64_t> items;
    for (int64_t g = 0; g < grams.count(); ++g)
      items.push_back(grams.items[g * n + j]);
    Value wanted = node.cast(node.constant(items), node.elementOf(x));
    Value equal = node.compare(graph::Predicate::Eq, window, wanted);
    matches = matches ? node.binary(graph::BinaryKind::And, matches, equal) : equal;
  }
  Value ones = node.cast(matches, node.builder().getF32Type());
  return node.reduce(graph::ReduceKind::Sum, ones, {1}, /*keepDims=*/false);
}

/// Applies the weighting mode to the counts of all grams, in the order of the pool.
Value weigh(NodeBuilder &node, Value counts, int64_t numGrams) {
  std::string mode = node.getString("mode", "TF");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return node.failValue("attribute 'mode' must be TF, IDF or TFIDF");
  if (mode == "TF")
    return counts;
  if (mode == "IDF")
    counts = node.min(counts, node.scalarLike(1, counts));
  auto weights = node.getFloats("weights");
  if (!weights)
    return counts;
  if (int64_t(weights->size()) != numGrams)
    return node.failValue("attribute 'weights' needs " + Twine(numGrams) + " entries");
  return node.mul(counts, node.floats(*weights));
}

LogicalResult importTfIdfVectorizer(NodeBuilder &node) {
  Value x = node.required(0);
  auto pool = readPool(node);
  auto columns = node.getInts("ngram_indexes");
  if (!x || !pool)
    return failure();
  int64_t rank = node.rankOf(x), shortest = node.getInt("min_gram_length", 1);
  int64_t longest = node.getInt("max_gram_length", 1), skips = node.getInt("max_skip_count", 0);
  if (rank < 1 || rank > 2)
    return node.fail("needs an input of rank 1 or 2");
  if (skips < 0 || skips > 1024)
    return node.fail("attribute 'max_skip_count' is " + Twine(skips));

  Value rows = rank == 1 ? node.unsqueeze(x, {0}) : x;
  SmallVector<Value> counts;
  int64_t numGrams = 0;
  for (const Grams &grams : *pool) {
    if (!grams.count())
      continue;
    numGrams += grams.count();
    Value sum = node.mul(countGrams(node, rows, grams, 0),
                         node.scalar(grams.length >= shortest && grams.length <= longest, node.builder().getF32Type()));
    if (grams.length > 1 && grams.length >= shortest && grams.length <= longest)
      for (int64_t skip = 1; skip <= skips; ++skip)
        sum = node.add(sum, countGrams(node, rows, grams, skip));
    counts.push_back(sum);
  }
  if (!numGrams || !columns || int64_t(columns->size()) != numGrams)
    return node.fail("attribute 'ngram_indexes' needs one entry per n-gram");
  Value weighed = weigh(node, node.concat(counts, 1), numGrams);

  // Column c of the result is the gram that names it, or the zeros behind the last gram.
  int64_t width = *llvm::max_element(*columns) + 1;
  if (*llvm::min_element(*columns) < 0 || width > (1 << 24))
    return node.fail("attribute 'ngram_indexes' is out of range");
  SmallVector<int64_t> gramOf(size_t(width), numGrams);
  for (auto [gram, column] : llvm::enumerate(*columns))
    gramOf[size_t(column)] = int64_t(gram);
  Value padded = node.pad(weighed, {0, 0, 0, 1}, node.scalarLike(0, weighed));
  Value y = node.gather(padded, node.constant(gramOf), 1);
  node.setOutput(0, rank == 1 ? node.squeeze(y, {0}) : y);
  return success(!node.failed());
}

} // namespace

void frontend::registerText(OpRegistry &registry) {
  registry.add("", "TfIdfVectorizer", importTfIdfVectorizer, "integers only");
}
