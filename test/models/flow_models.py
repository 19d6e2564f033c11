"""Small networks whose nodes are inside of If, Loop and Scan, with seeded random weights."""

import numpy as np
import onnx.parser
from onnx import numpy_helper

# What a branch, a state or a stacked output is made of, and what is only used inside.
TEXTS = {
    "branches": """
g (float[4,16] x, bool c) => (float[4,8] y, float[4,8] z)
<float[16,16] w, float[16,8] v, float[16,8] u, float[8] b>
{
  [hidden] h0 = MatMul(x, w)
  [relu] h = Relu(h0)
  [choice] y, z = If (c) <
    then_branch = yes () => (float[4,8] y1, float[4,8] z1) {
      [yes1] a1 = MatMul(h, v)  [yes2] y1 = Add(a1, b)  [yes3] z1 = Sigmoid(y1)
    },
    else_branch = no () => (float[4,8] y2, float[4,8] z2) {
      [no1] z2 = MatMul(h, u)  [no2] y2 = Tanh(z2)
    }>
}""",
    "loop": """
g (float[4,16] x, int64 n) => (float[4,16] y, float[t,4,16] all, float total)
<float[16,16] w, float[16,16] v, float[16] b, float zero = {0.0}, bool go = {1}>
{
  [before] x0 = MatMul(x, w)
  [loop] y, total, all = Loop (n, go, x0, zero) <
    body = trip (int64 i, bool c, float[4,16] s, float sum) => (bool c1, float[4,16] s1, float sum1, float[4,16] o) {
      [go] c1 = Identity(c)
      [state1] a1 = MatMul(s, v)  [state2] a2 = Add(a1, b)  [state3] s1 = Tanh(a2)
      [stacked1] p = MatMul(s1, w)  [stacked2] o = Relu(p)
      [mean] m = ReduceMean<keepdims = 0>(o)  [sum] sum1 = Add(sum, m)
    }>
}""",
    "scan": """
g (float[6,4,16] x, float[4,16] h0) => (float[4,16] h, float[6,4,8] ys)
<float[16,16] w, float[16,16] u, float[16,8] v>
{
  [scan] h, ys = Scan<num_scan_inputs = 1, body = step (float[4,16] s, float[4,16] xi) => (float[4,16] s1, float[4,8] o) {
      [in] a = MatMul(xi, w)  [back] b = MatMul(s, u)  [add] c = Add(a, b)  [tanh] s1 = Tanh(c)
      [out] p = MatMul(s1, v)  [softmax] o = Softmax<axis = -1>(p)
    }>(h0, x)
}""",
    "branch_in_loop": """
g (float[1,8,9,9] x, int64 n) => (float[1,8,9,9] y)
<float[8,8,3,3] w, float[8,8,1,1] v, bool go = {1}, int64 two = {2}, int64 one = {1}>
{
  [before] x0 = Conv<pads = [1, 1, 1, 1]>(x, w)
  [loop] y = Loop (n, go, x0) <
    body = trip (int64 i, bool c, float[1,8,9,9] s) => (bool c1, float[1,8,9,9] s1) {
      [go] c1 = Identity(c)
      [rest] r = Mod(i, two)  [odd] odd = Equal(r, one)
      [conv] a = Conv<pads = [1, 1, 1, 1]>(s, w)  [relu] b = Relu(a)
      [choice] d = If (odd) <
        then_branch = yes () => (float[1,8,9,9] y1) { [yes1] e = Conv(b, v)  [yes2] y1 = Add(e, x0) },
        else_branch = no () => (float[1,8,9,9] y2) { [no1] y2 = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(b) }>
      [tanh] s1 = Tanh(d)
    }>
}""",
    # The sum leaves the range of halves, and counts. Weights of one sign: others would cancel, but for their roundings.
    "count": """
g (float[4,16] x, int64 n) => (float[4,16] y, float[4,16] z)
<float[16,16] w, float[16,16] positive, float zero = {0.0}, float many = {1000.0}, bool go = {1}, int64[2] shape = {4, 16}>
{
  [loop] k, y = Loop (n, go, zero, x) <
    body = trip (int64 i, bool c, float k0, float[4,16] s) => (bool c1, float k1, float[4,16] s1) {
      [go] c1 = Identity(c)
      [trip] f = Cast<to = 1>(i)  [thousands] g = Mul(f, many)  [sum] k1 = Add(k0, g)
      [state] a = MatMul(s, w)  [tanh] s1 = Tanh(a)
    }>
  [wide] kw = Expand(k, shape)  [positions] z = MatMul(kw, positive)
}""",
}

INPUTS = {"x": np.float32, "h0": np.float32, "c": np.bool_, "n": np.int64}


def networks():
    """Names, models and the feeds of each."""
    for name, text in TEXTS.items():
        rng = np.random.default_rng(5)
        model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 21]>' + text)
        for info in list(model.graph.value_info):
            shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
            fan = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
            values = (rng.standard_normal(shape) / np.sqrt(fan)).astype(np.float32)
            values = np.abs(values) if info.name == "positive" else values
            model.graph.initializer.append(numpy_helper.from_array(values, info.name))
        feeds = []
        for trips in (1, 20 if name == "count" else 4):
            feeds.append({})
            for info in model.graph.input:
                shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
                made = {np.float32: lambda: rng.standard_normal(shape, np.float32), np.bool_: lambda: np.array(trips == 1),
                        np.int64: lambda: np.array(trips, np.int64)}
                feeds[-1][info.name] = made[INPUTS[info.name]]()
        yield name, model, feeds
