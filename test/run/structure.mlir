// Control flow: branches and loops, with values from outside and shapes that change.
// RUN: %evaluate %s
// TARGETS: reference, cpu:avx2, cpu:avx512, cpu:neon, vulkan, cuda

func.func @branch(%c: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.if %c : tensor<i1> -> tensor<3xf32> {
    %1 = graph.binary<add> %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %1 : tensor<3xf32>
  } else {
    graph.yield %b : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
// EVAL @branch(true, [1, 2, 3], [10, 20, 30]) -> [11, 22, 33]
// EVAL @branch(false, [1, 2, 3], [10, 20, 30]) -> [10, 20, 30]

func.func @shapes(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.if %c : tensor<i1> -> tensor<?xf32> {
    graph.yield %a : tensor<2xf32>
  } else {
    graph.yield %b : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
// EVAL @shapes(true, [1, 2], [3, 4, 5]) -> [1, 2]
// EVAL @shapes(false, [1, 2], [3, 4, 5]) -> [3, 4, 5]
// EVAL @shapes(false, [1, 2], []) -> []

func.func @powers(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %go = graph.constant dense<true> : tensor<i1>
  %y, %all = graph.loop %n, %go init(%x) : tensor<i64>, tensor<i1>, tensor<2xf32> -> tensor<2xf32>, tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %0 = graph.binary<mul> %v, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    graph.yield %go, %0, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %y, %all : tensor<2xf32>, tensor<?x2xf32>
}
// EVAL @powers(3, [2, -1]) -> [16, 1], [[2, -1], [4, 1], [8, -1]]
// EVAL @powers(0, [2, -1]) -> [2, -1], splat[0, 2] 0

func.func @until(%n: tensor<i64>, %start: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  %go = graph.constant dense<true> : tensor<i1>
  %two = graph.constant dense<2.0> : tensor<f32>
  %y = graph.loop %n, %go init(%start) : tensor<i64>, tensor<i1>, tensor<f32> -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %0 = graph.binary<mul> %v, %two : tensor<f32>, tensor<f32> -> tensor<f32>
    %1 = graph.compare<lt> %0, %limit : tensor<f32>, tensor<f32> -> tensor<i1>
    graph.yield %1, %0 : tensor<i1>, tensor<f32>
  }
  return %y : tensor<f32>
}
// EVAL @until(100, 1, 50) -> 64
// EVAL @until(2, 1, 50) -> 4

func.func @counter(%n: tensor<i64>) -> tensor<?xi64> {
  %go = graph.constant dense<true> : tensor<i1>
  %all = graph.loop %n, %go : tensor<i64>, tensor<i1> -> tensor<?xi64> {
  ^bb0(%i: tensor<i64>):
    %0 = graph.binary<mul> %i, %i : tensor<i64>, tensor<i64> -> tensor<i64>
    graph.yield %go, %0 : tensor<i1>, tensor<i64>
  }
  return %all : tensor<?xi64>
}
// EVAL @counter(5) -> [0, 1, 4, 9, 16]
