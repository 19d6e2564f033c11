//===- ExpectationsTest.cpp - Lists of known failures ---------------------===//

#include "test/onnx/Expectations.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace hone::conformance;

namespace {

llvm::Expected<Expectations> parse(llvm::StringRef text) {
  int file;
  llvm::SmallString<64> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("expectations", "txt", file, path));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  auto result = Expectations::read(path);
  llvm::sys::fs::remove(path);
  return result;
}

constexpr llvm::StringLiteral kText = "# Strings.\n"
                                      "node/test_string_* : no strings\n"
                                      "\n"
                                      "node/test_a : a reason : with colons\n";

TEST(ExpectationsTest, Reasons) {
  auto list = parse(kText);
  ASSERT_TRUE(bool(list));
  ASSERT_NE(list->reasonFor("node/test_string_concat"), nullptr);
  EXPECT_EQ(*list->reasonFor("node/test_string_concat"), "no strings");
  EXPECT_EQ(*list->reasonFor("node/test_a"), "a reason : with colons");
  EXPECT_EQ(list->reasonFor("node/test_b"), nullptr);
}

TEST(ExpectationsTest, MissingFileExpectsNothing) {
  auto list = Expectations::read("/nonexistent/file");
  ASSERT_TRUE(bool(list));
  EXPECT_EQ(list->reasonFor("node/test_a"), nullptr);
}

TEST(ExpectationsTest, ReasonIsRequired) {
  auto list = parse("node/test_a\n");
  ASSERT_FALSE(bool(list));
  std::string message = toString(list.takeError());
  EXPECT_NE(message.find(":1: expected 'SUITE/CASE : reason'"), std::string::npos);
}

TEST(ExpectationsTest, KeptInputsAreNoFailures) {
  constexpr llvm::StringLiteral text = "node/test_a* keeps size : it says how many\n";
  auto list = parse(text);
  ASSERT_TRUE(bool(list));
  EXPECT_EQ(list->inputsKept("node/test_ab"), std::vector<std::string>{"size"});
  EXPECT_TRUE(list->inputsKept("node/test_b").empty());
  EXPECT_EQ(list->reasonFor("node/test_ab"), nullptr);
  llvm::StringMap<char> seen;
  seen["node/test_ab"] = 0;
  EXPECT_EQ(list->updated({}, seen), text);
}

TEST(ExpectationsTest, UpdateKeepsReasonsAndComments) {
  auto list = parse(kText);
  ASSERT_TRUE(bool(list));
  llvm::StringMap<std::string> failures;
  llvm::StringMap<char> seen;
  for (llvm::StringRef name : {"node/test_a", "node/test_b", "node/test_string_x", "node/test_string_y"})
    seen[name] = 0;
  failures["node/test_string_x"] = "new words";
  failures["node/test_string_y"] = "new words";
  failures["node/test_b"] = "compile: why";
  EXPECT_EQ(list->updated(failures, seen), "# Strings.\n"
                                           "node/test_string_* : no strings\n"
                                           "\n"
                                           "node/test_b : compile: why\n");
}

TEST(ExpectationsTest, UpdateSplitsAGlobOfWhichOnePasses) {
  auto list = parse(kText);
  ASSERT_TRUE(bool(list));
  llvm::StringMap<std::string> failures;
  llvm::StringMap<char> seen;
  seen["node/test_string_x"] = seen["node/test_string_y"] = 0;
  failures["node/test_string_x"] = "new words";
  EXPECT_EQ(list->updated(failures, seen), "# Strings.\n"
                                           "\n"
                                           "node/test_a : a reason : with colons\n"
                                           "node/test_string_x : no strings\n");
}

} // namespace
