"""Small models that build sequences in loops and branches, with the inputs of several runs each."""

import numpy as np
import onnx
import onnx.parser

GO = "bool go = {1}"
NUMBERS = "int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64[1] begin = {0}, int64[1] first = {0}"

# What a trip inserts: a tensor of one shape, or as many rows or columns as the trip says.
SAME = "f = Cast<to = 1>(i)  added = Add(x, f)"
ROWS = "j = Add(i, one)  end = Unsqueeze(j, first)  f = Cast<to = 1>(i)  y = Add(x, f)  added = Slice(y, begin, end, first)"
COLUMNS = ROWS.replace("begin, end, first", "begin, end, second")


def loop(trips, body, start="SequenceEmpty()", insert="SequenceInsert(s, added)", name="sequence"):
    """The text of a loop whose state is a sequence, `start` before it."""
    return f"""
  [start] start = {start}
  [loop] {name} = Loop ({trips}, go, start) <
    body = trip (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {{
      c1 = Identity(c)  {body}  [insert] s1 = {insert}
    }}>"""


def model(inputs, outputs, text, extra=""):
    return (f"g ({inputs}) => ({outputs}) <{GO}, {NUMBERS}, int64[1] second = {{1}}, int64 three = {{3}}, "
            f"int64 last = {{-1}}{extra}> {{{text}\n}}")


X = "float[4, 5] x"
N = "float[4, 5] x, int64 n"
TRIPS = {"n": [3, 1, 4]}
AT = {"n": [3, 4], "p": [0, 2, -1]}

# Model, and what its inputs of numbers are in each run.
CASES = {
    # The number of trips is known.
    "stacked": (model(X, "float[a, b, c] y", loop("three", SAME) + "y = ConcatFromSequence<axis = 0, new_axis = 1>(sequence)"),
                {}),
    "ragged": (model(X, "float[a, b] y", loop("three", ROWS) + "y = ConcatFromSequence<axis = 0>(sequence)"), {}),
    "columns": (model(X, "float[a, b] y", loop("three", COLUMNS) + "y = ConcatFromSequence<axis = -1>(sequence)"), {}),
    "front": (model(X, "float[a, b] y",
                    loop("three", ROWS, insert="SequenceInsert(s, added, zero)") + "y = ConcatFromSequence<axis = 0>(sequence)"),
              {}),
    "ends": (model(N, "float[a, b] y", """
  [start] start = SequenceEmpty()
  [loop] sequence = Loop (three, go, start) <
    body = trip (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {
      c1 = Less(i, n)  """ + ROWS + """  s1 = SequenceInsert(s, added)
    }>
  y = ConcatFromSequence<axis = 0>(sequence)"""), {"n": [0, 1, 5]}),
    "reads": (model(X, "float[a, b] y", loop("three", """t = Equal(i, zero)
      added = If (t) <then_branch = yes () => (float[] e1) { e1 = Identity(x) },
                      else_branch = no () => (float[] e2) { l = SequenceAt(s, last)  e2 = Tanh(l) }>""")
                    + "y = ConcatFromSequence<axis = 0>(sequence)"), {}),
    # Nobody knows it.
    "stacked_n": (model(N, "float[a, b, c] y", loop("n", SAME) + "y = ConcatFromSequence<axis = 0, new_axis = 1>(sequence)"),
                  TRIPS),
    "stacked_last_n": (model(N, "float[a, b, c] y",
                             loop("n", SAME) + "y = ConcatFromSequence<axis = -1, new_axis = 1>(sequence)"), TRIPS),
    "stacked_along_n": (model(N, "float[a, b] y", loop("n", SAME) + "y = ConcatFromSequence<axis = 1>(sequence)"), TRIPS),
    "ragged_n": (model(N, "float[a, b] y", loop("n", ROWS) + "y = ConcatFromSequence<axis = 0>(sequence)"), TRIPS),
    "columns_n": (model(N, "float[a, b] y", loop("n", COLUMNS) + "y = ConcatFromSequence<axis = 1>(sequence)"), TRIPS),
    "front_n": (model(N, "float[a, b] y", loop("n", ROWS, insert="SequenceInsert(s, added, zero)")
                      + "y = ConcatFromSequence<axis = 0>(sequence)"), TRIPS),
    "before_last_n": (model(N, "float[a, b] y", loop("n", ROWS, "SequenceConstruct(x)", "SequenceInsert(s, added, last)")
                            + "y = ConcatFromSequence<axis = 0>(sequence)"), {"n": [3, 1, 0]}),
    "two_dynamic_n": ("g (float[r, q] x, int64 n) => (float[a, b] y)" + model("", "", loop("n", ROWS)
                      + "y = ConcatFromSequence<axis = 0>(sequence)").partition("=> ()")[2], TRIPS),
    # Lengths and elements, after no trip as well.
    "length_n": (model(N, "int64 y", loop("n", ROWS) + "y = SequenceLength(sequence)"), {"n": [0, 3]}),
    "at_n": (model(N + ", int64 p", "float[a, b] y", loop("n", ROWS) + "y = SequenceAt(sequence, p)"), AT),
    "stacked_at_n": (model(N + ", int64 p", "float[a, b] y", loop("n", SAME) + "y = SequenceAt(sequence, p)"), AT),
    "known_start_n": (model(N, "float[a, b] y", loop("n", ROWS, "SequenceConstruct(x, x)")
                            + "y = ConcatFromSequence<axis = 0>(sequence)"), {"n": [0, 1, 4]}),
    "known_start_stacked_n": (model(N, "float[a, b] y", loop("n", SAME, "SequenceConstruct(x, x)")
                                    + "y = ConcatFromSequence<axis = 1>(sequence)"), {"n": [0, 1, 4]}),
    "two_sequences_n": (model(N, "float[a, b] y, float[d, e] z, int64[k] w", """
  [start] start = SequenceEmpty()
  [loop] same, rows, w = Loop (n, go, start, start) <
    body = trip (int64 i, bool c, seq(float[]) s, seq(float[]) t) => (bool c1, seq(float[]) s1, seq(float[]) t1, int64 w1) {
      c1 = Identity(c)  """ + ROWS + """  s1 = SequenceInsert(s, y)  t1 = SequenceInsert(t, added)  w1 = Mul(i, i)
    }>
  y = ConcatFromSequence<axis = 0>(same)  z = ConcatFromSequence<axis = 0>(rows)"""), TRIPS),
    "erased_n": (model(N + ", int64 p", "float[a, b] y, int64 z", loop("n", ROWS)
                       + "less = SequenceErase(sequence, p)  y = ConcatFromSequence<axis = 0>(less)  z = SequenceLength(less)"),
                 AT),
    "erased_last_n": (model(N, "float[a, b] y", loop("n", SAME)
                            + "less = SequenceErase(sequence)  y = ConcatFromSequence<axis = 0>(less)"), {"n": [2, 4]}),
    "inserted_n": (model(N + ", int64 p", "float[a, b] y", loop("n", ROWS)
                         + "more = SequenceInsert(sequence, x, p)  y = ConcatFromSequence<axis = 0>(more)"), AT),
    "scalars_n": (model("float[4, 5] x, int64 n", "float[a] y",
                        loop("n", "f = Cast<to = 1>(i)  m = ReduceMean<keepdims = 0>(x)  added = Add(m, f)")
                        + "y = ConcatFromSequence<axis = 0, new_axis = 1>(sequence)"), TRIPS),
    "insert_i_n": (model(N, "float[a, b] y", loop("n", ROWS + "  at = Div(i, two)", insert="SequenceInsert(s, added, at)")
                         + "y = ConcatFromSequence<axis = 0>(sequence)"), TRIPS),
    "two_dynamic_stacked_n": ("g (float[r, q] x, int64 n) => (float[a, b, c] y)" + model("", "", loop("n", SAME)
                              + "y = ConcatFromSequence<axis = 1, new_axis = 1>(sequence)").partition("=> ()")[2], TRIPS),
    "integers_n": (model("int64[4, 5] x, int64 n", "int64[a, b] y, int64 z",
                         loop("n", "added = Add(x, i)", "SequenceEmpty<dtype = 7>()").replace("seq(float", "seq(int64")
                         + "y = ConcatFromSequence<axis = 0>(sequence)  z = SequenceLength(sequence)"), TRIPS),
    "bools_n": (model("float[4, 5] x, int64 n", "float[a, b, c] y",
                      loop("n", SAME + "  b = Greater(added, x)", "SequenceEmpty<dtype = 9>()", "SequenceInsert(s, b)")
                      .replace("seq(float", "seq(bool") + "z = ConcatFromSequence<axis = 0, new_axis = 1>(sequence)"
                      "  y = Cast<to = 1>(z)"), TRIPS),
    # A trip reads what earlier ones made.
    "reads_last_n": (model(N, "float[a, b] y", loop("n", "l = SequenceAt(s, last)  t = Tanh(l)  added = Concat<axis = 0>(t, x)",
                                                    "SequenceConstruct(x)") + "y = ConcatFromSequence<axis = 0>(sequence)"),
                     {"n": [0, 1, 3]}),
    "reads_i_n": (model(N, "float[a, b] y", loop("n", "l = SequenceAt(s, i)  added = Tanh(l)", "SequenceConstruct(x)")
                        + "y = ConcatFromSequence<axis = 0>(sequence)"), {"n": [0, 1, 3]}),
    # As long as before: a window.
    "window_n": (model(N, "float[a, b] y", loop("n", SAME + "  less = SequenceErase(s, zero)", "SequenceConstruct(x, x, x)",
                                                "SequenceInsert(less, added)") + "y = ConcatFromSequence<axis = 0>(sequence)"),
                 {"n": [0, 2, 5]}),
    # A sequence from outside, and one that no trip changes.
    "captured_n": (model(N, "float[a, b] y", "outer = SplitToSequence<axis = 0>(x)"
                         + loop("n", "added = SequenceAt(outer, i)") + "y = ConcatFromSequence<axis = 0>(sequence)"), TRIPS),
    "captured_pieces_n": (model("float[r, 5] x, int64 n", "float[a, b] y", "outer = SplitToSequence<axis = 0>(x, two)"
                                + loop("n", "l = SequenceLength(outer)  m = Mod(i, l)  added = SequenceAt(outer, m)")
                                + "y = ConcatFromSequence<axis = 0>(sequence)"), TRIPS),
    "over_pieces_n": (model("float[r, 5] x", "float[a, b] y", "outer = SplitToSequence<axis = 0>(x, two)  k = SequenceLength(outer)"
                            + loop("k", "e = SequenceAt(outer, i)  added = Concat<axis = 0>(e, x)")
                            + "y = ConcatFromSequence<axis = 0>(sequence)"), {}),
    "unchanged_n": (model(N, "float[a, b] y", "state = SequenceConstruct(x, x)" + """
  [loop] same, sum = Loop (n, go, state, x) <
    body = trip (int64 i, bool c, seq(float[]) s, float[4, 5] v) => (bool c1, seq(float[]) s1, float[4, 5] w) {
      c1 = Identity(c)  s1 = Identity(s)  e = SequenceAt(s, zero)  w = Add(v, e)
    }>
  both = SequenceInsert(same, sum)  y = ConcatFromSequence<axis = 0>(both)"""), {"n": [0, 2]}),
    # The condition ends the loop; a stacked output beside the sequence.
    "condition": (model(N, "float[a, b] y, int64[k] z", """
  [start] start = SequenceEmpty()
  [loop] sequence, z = Loop (, go, start) <
    body = trip (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1, int64 z1) {
      c1 = Less(i, n)  """ + ROWS + """  s1 = SequenceInsert(s, added)  z1 = Mul(i, i)
    }>
  y = ConcatFromSequence<axis = 0>(sequence)"""), {"n": [0, 2]}),
    "stacked_output": (model(X, "float[a, b] y, int64[k] z", """
  [start] start = SequenceEmpty()
  [loop] sequence, z = Loop (three, go, start) <
    body = trip (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1, int64 z1) {
      c1 = Identity(c)  """ + ROWS + """  s1 = SequenceInsert(s, added)  z1 = Mul(i, i)
    }>
  y = ConcatFromSequence<axis = 0>(sequence)"""), {}),
    # Loops in loops: the inner one adds to the outer one's sequence.
    "nested_n": (model(N, "float[a, b] y", """
  [start] start = SequenceEmpty()
  [outer] sequence = Loop (n, go, start) <
    body = outer (int64 k, bool d, seq(float[]) t) => (bool d1, seq(float[]) t1) {
      d1 = Identity(d)
      [inner] t1 = Loop (two, go, t) <
        body = trip (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {
          c1 = Identity(c)  j = Add(k, one)  end = Unsqueeze(j, first)  f = Cast<to = 1>(i)
          y0 = Add(x, f)  added = Slice(y0, begin, end, first)  s1 = SequenceInsert(s, added)
        }>
    }>
  y = ConcatFromSequence<axis = 0>(sequence)"""), TRIPS),
    # Branches.
    "if_known": (model(X, "float[a, b] y", """
  t = Less(one, two)
  s = If (t) <then_branch = yes () => (seq(float[]) s1) { s1 = SequenceConstruct(x, x) },
              else_branch = no () => (seq(float[]) s2) { s2 = SequenceConstruct(x) }>
  y = ConcatFromSequence<axis = 0>(s)"""), {}),
    "if_equal": (model(N, "float[a, b] y", """
  t = Less(n, two)
  s = If (t) <then_branch = yes () => (seq(float[]) s1) { e = Exp(x)  s1 = SequenceConstruct(x, e) },
              else_branch = no () => (seq(float[]) s2) { e = Tanh(x)  s2 = SequenceConstruct(e, x) }>
  y = ConcatFromSequence<axis = 1>(s)"""), {"n": [1, 2]}),
    "if_unequal": (model(N, "float[a, b, c] y, int64 z", """
  t = Less(n, two)
  s = If (t) <then_branch = yes () => (seq(float[]) s1) { e = Exp(x)  s1 = SequenceConstruct(x, e) },
              else_branch = no () => (seq(float[]) s2) { e = Tanh(x)  s2 = SequenceConstruct(e) }>
  y = ConcatFromSequence<axis = 0, new_axis = 1>(s)  z = SequenceLength(s)"""), {"n": [1, 2]}),
    "if_ragged": (model(N, "float[a, b] y, int64 z", """
  t = Less(n, two)
  s = If (t) <then_branch = yes () => (seq(float[]) s1) { e = Concat<axis = 0>(x, x)  s1 = SequenceConstruct(x, e) },
              else_branch = no () => (seq(float[]) s2) { s2 = SequenceEmpty() }>
  more = SequenceInsert(s, x)  y = ConcatFromSequence<axis = 0>(more)  z = SequenceLength(s)"""), {"n": [1, 2]}),
    "if_in_loop_n": (model(N, "float[a, b] y", loop("n", """r = Mod(i, two)  odd = Equal(r, one)  """ + ROWS,
                                                    insert="""If (odd) <
        then_branch = yes () => (seq(float[]) s2) { s2 = SequenceInsert(s, added) },
        else_branch = no () => (seq(float[]) s3) { s3 = Identity(s) }>""") + "y = ConcatFromSequence<axis = 0>(sequence)"),
                     {"n": [2, 4]}),
    "loop_in_if": (model(N, "float[a, b] y", """
  t = Less(n, two)
  s = If (t) <then_branch = yes () => (seq(float[]) sequence) {""" + loop("n", ROWS) + """ },
              else_branch = no () => (seq(float[]) s2) { s2 = SequenceConstruct(x, x) }>
  y = ConcatFromSequence<axis = 0>(s)"""), {"n": [1, 3]}),
    # Positions and lengths that a run tells.
    "at_known_list": (model("float[4, 5] x, int64 p", "float[a, b] y", """
  e = Exp(x)  s = SequenceConstruct(x, e, x)  y = SequenceAt(s, p)"""), {"p": [0, 1, -2]}),
    "at_ragged_list": (model("float[4, 5] x, float[2, 5] e, int64 p", "float[a, b] y", """
  s = SequenceConstruct(x, e, x)  y = SequenceAt(s, p)"""), {"p": [0, 1, -2]}),
    "map_pieces": (model("float[r, 5] x", "float[a, b] y, int64 z", """
  pieces = SplitToSequence<axis = 0>(x, two)
  mapped = SequenceMap(pieces, x) <body = b (float[q, 5] e, float[r, 5] w) => (float[k, 5] f) {
    t = Tanh(e)  f = Concat<axis = 0>(t, w) }>
  y = ConcatFromSequence<axis = 0>(mapped)  z = SequenceLength(mapped)"""), {}),
    "map_two": (model("float[r, 5] x", "float[a, b] y", """
  rows = SplitToSequence<axis = 0, keepdims = 0>(x)  pieces = SplitToSequence<axis = 0>(x)
  mapped = SequenceMap(rows, pieces) <body = b (float[5] e, float[1, 5] w) => (float[1, 5] f) { f = Add(e, w) }>
  y = ConcatFromSequence<axis = 1>(mapped)"""), {}),
    "insert_pieces": (model("float[r, 5] x, float[3, 5] e", "float[a, b] y, int64 z", """
  pieces = SplitToSequence<axis = 0>(x, two)  more = SequenceInsert(pieces, e, one)
  y = ConcatFromSequence<axis = 0>(more)  z = SequenceLength(more)"""), {}),
    "other_axis": (model("float[r, 5] x", "float[a, b] y, float[c, d, e] z, float[f, g, h] w", """
  pieces = SplitToSequence<axis = 0>(x)  y = ConcatFromSequence<axis = 1>(pieces)
  rows = SplitToSequence<axis = 0>(x, two)  z = ConcatFromSequence<axis = 2, new_axis = 1>(rows)
  w = ConcatFromSequence<axis = 0, new_axis = 1>(rows)"""), {}),
}


TYPES = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.INT64: np.int64}


def models():
    """Names, models and the feeds of each."""
    for name, (text, numbers) in CASES.items():
        rng = np.random.default_rng(5)
        made = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 21]>' + text)
        feeds = []
        for run in range(max([len(values) for values in numbers.values()], default=1)):
            feeds.append({})
            for info in made.graph.input:
                shape = [d.dim_value or 4 for d in info.type.tensor_type.shape.dim]
                values = numbers.get(info.name)
                feeds[-1][info.name] = (np.array(values[run % len(values)], np.int64) if values
                                        else (8 * rng.standard_normal(shape)).astype(TYPES[info.type.tensor_type.elem_type]))
        yield name, made, feeds
