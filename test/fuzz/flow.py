"""Operators with graphs of their own: branches, loops, scans."""

import numpy as np
from onnx import TensorProto

BOOL, INT64, FLOAT = TensorProto.BOOL, TensorProto.INT64, TensorProto.FLOAT


def branch(g):
    """If whose branches compute values of one shape from what is outside."""
    x = g.pick(lambda t: t.dtype == FLOAT)
    if not x or g.outer:
        return False
    x = g.small(x)
    branches, results = [], []
    for name in ("then", "else"):
        inner = g.inner(name, [x])
        last = x
        for _ in range(g.random.randint(1, 3)):
            op = g.random.choice(("Neg", "Abs", "Tanh", "Mul", "Add"))
            operands = [last] if op not in ("Mul", "Add") else [last, g.scalar(g.random.choice((2, 3)), FLOAT, True)]
            exact = last.exact and op != "Tanh"
            last = inner.same(op, operands, last, bound=1 if op == "Tanh" else 3 * last.bound + 3, exact=exact)
        branches.append(inner.body([], [last]))
        results.append(last)
    condition = g.input(BOOL, ())
    g.node("If", [condition], [(FLOAT, x.shape, max(t.bound for t in results), all(t.exact for t in results))],
           then_branch=branches[0], else_branch=branches[1])
    return True


def loop(g):
    """Loop that adds to what it carries, and collects what it carried."""
    x = g.pick(lambda t: t.dtype == FLOAT and t.rank < 4)
    if not x or g.outer:
        return False
    x = g.small(x, 8)
    trips = g.random.randint(1, 4)
    inner = g.inner("body", [x])
    number = inner.argument(INT64, (), trips, True)
    again = inner.argument(BOOL, (), 1, True)
    carried = inner.argument(FLOAT, x.shape, x.bound * (trips + 1), x.exact)
    more = inner.same("Identity", [again], again)
    step = inner.node("Cast", [number], [(FLOAT, (), trips, True)], to=FLOAT)
    added = inner.node("Add", [x, step], [(FLOAT, x.shape, x.bound + trips, x.exact)])
    total = inner.node("Add", [carried, added], [(FLOAT, x.shape, x.bound * (trips + 1) + trips * trips, x.exact)])
    body = inner.body([number, again, carried], [more, total, carried])
    count = g.constant(np.int64(trips)) if g.chance(0.5) else g.input(INT64, (), np.asarray(trips, np.int64), trips,
                                                                       True)
    bound = x.bound * (trips + 1) + trips * trips
    g.node("Loop", [count, g.constant(np.asarray(True)), x],
           [(FLOAT, x.shape, bound, x.exact), (FLOAT, (trips, *x.shape), bound, x.exact)], body=body)
    return True


def scan(g):
    """Scan that adds rows to a state and collects what became of it, each in some direction along some dimension."""
    x = g.pick(lambda t: t.dtype == FLOAT and 1 <= t.rank < 5 and t.count)
    if not x or g.outer:
        return False
    x = g.small(x, 8)
    axis, collected = g.random.randrange(x.rank), g.random.randrange(x.rank)
    row, length = x.shape[:axis] + x.shape[axis + 1:], x.shape[axis]
    first = g.fixed(FLOAT, row, bound=3)
    bound, exact = first.bound + length * x.bound, first.exact and x.exact
    inner = g.inner("row", [])
    state, piece = inner.argument(FLOAT, row, bound, exact), inner.argument(FLOAT, row, x.bound, x.exact)
    total = inner.node("Add", [state, piece], [(FLOAT, row, bound, exact)])
    before = inner.node("Sub", [total, piece], [(FLOAT, row, bound, exact)])
    body = inner.body([state, piece], [total, before])
    g.node("Scan", [first, x], [(FLOAT, row, bound, exact),
                                (FLOAT, (*row[:collected], length, *row[collected:]), bound, exact)],
           body=body, num_scan_inputs=1, scan_input_axes=[axis], scan_input_directions=[g.random.randint(0, 1)],
           scan_output_axes=[collected], scan_output_directions=[g.random.randint(0, 1)])
    return True


TABLE = {branch: 1, loop: 1, scan: 1}
