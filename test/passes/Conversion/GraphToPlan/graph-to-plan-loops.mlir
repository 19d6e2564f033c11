// RUN: hone-opt %s --hone-graph-to-plan --split-input-file | FileCheck %s

// Every trip runs, and the extents are known before the first: room for all trips.
// CHECK-LABEL: plan.program @main
//       CHECK:   %[[TRIPS:.*]] = plan.load
//       CHECK:   %[[COUNT:.*]] = arith.maxsi %[[TRIPS]], %{{.*}}
//       CHECK:   %[[ALL:.*]] = arith.muli %{{.*}}, %[[COUNT]]
//       CHECK:   %[[STACK:.*]] = plan.alloc %[[ALL]]
//       CHECK:   plan.loop %[[I:.*]] to %[[TRIPS]]
//       CHECK:     %[[AT:.*]] = arith.muli %[[I]], %{{.*}}
//       CHECK:     %[[SLOT:.*]] = plan.view %[[STACK]][%[[AT]]]
//       CHECK:     plan.copy %{{.*}} to %[[SLOT]]
//   CHECK-NOT:   plan.grow
func.func @main(%n: tensor<i64> {graph.name = "n"}, %x: tensor<4xf32> {graph.name = "x"})
    -> (tensor<?x4xf32> {graph.name = "y"}) {
  %true = graph.constant dense<true> : tensor<i1>
  %y = graph.loop %n, %true : tensor<i64>, tensor<i1> -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>):
    %e = graph.kernel -> tensor<4xf32> {
      %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
      graph.yield %0 : tensor<4xf32>
    }
    graph.yield %true, %e : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

// The loop may end early: memory grows from trip to trip, and is copied behind the loop.
// CHECK-LABEL: plan.program @main
//       CHECK:   %[[LOOP:.*]]:2 = plan.loop %[[I:.*]] to %{{.*}} iter(%{{.*}} = %{{.*}}, %{{.*}} = %[[ZERO:.*]]) -> (index, index) {
//       CHECK:     arith.addi %[[I]]
//       CHECK:     %[[COUNT:.*]] = arith.addi %[[I]]
//       CHECK:     %[[END:.*]] = arith.muli %[[COUNT]], %[[BYTES:.*]] : index
//       CHECK:     %[[GROWN:.*]] = plan.grow 0, %[[END]]
//       CHECK:     %[[AT:.*]] = arith.muli %[[I]], %[[BYTES]] : index
//       CHECK:     %[[SLOT:.*]] = plan.view %[[GROWN]][%[[AT]]], %[[BYTES]]
//       CHECK:     plan.copy %{{.*}} to %[[SLOT]], %[[BYTES]]
//       CHECK:     plan.yield %{{.*}}, %{{.*}}, %[[BYTES]]
//       CHECK:   %[[TOTAL:.*]] = arith.muli %[[LOOP]]#0, %[[LOOP]]#1
//       CHECK:   %[[ALL:.*]] = plan.grow 0, %[[TOTAL]]
//       CHECK:   %[[RESULT:.*]] = plan.alloc %[[TOTAL]]
//       CHECK:   plan.copy %[[ALL]] to %[[RESULT]], %[[TOTAL]]
func.func @main(%n: tensor<i64> {graph.name = "n"}, %go: tensor<i1> {graph.name = "go"},
                %x: tensor<4xf32> {graph.name = "x"}) -> (tensor<?x4xf32> {graph.name = "y"}) {
  %y = graph.loop %n, %go : tensor<i64>, tensor<i1> -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>):
    %e = graph.kernel -> tensor<4xf32> {
      %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
      graph.yield %0 : tensor<4xf32>
    }
    graph.yield %go, %e : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<?x4xf32>
}
