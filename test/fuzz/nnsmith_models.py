#!/usr/bin/env python3
"""Networks that NNSmith writes, through the interpreter, the compiler at -O0 and -O3, and ONNX Runtime, as fuzz.py does.

usage: nnsmith_models.py --nnsmith PROGRAM [--size NODES] [--dynamic] [--models DIR], and options of fuzz.py

Not part of the tests: NNSmith wants versions of PyTorch and NumPy of its time, in an environment of its own (5 GB):

    python3.11 -m venv build/nnsmith
    build/nnsmith/bin/pip install 'nnsmith[onnx,onnxruntime]==0.1.0' torch==2.0.1 'numpy<1.27' onnx==1.14.1
    test/fuzz/nnsmith_models.py --nnsmith build/nnsmith/bin/nnsmith.model_gen --count 500

It solves constraints for shapes that fit and exports with PyTorch, so its graphs are what fuzz.py has none of: the small
ops of PyTorch's exporter, with shapes that are computed. Their numbers are anything. Outputs that a tiny change of the
inputs changes a lot, as behind Floor of a float, say nothing and are left out.

--dynamic hides all extents of inputs from the compiler. --models keeps the models, and takes those that are there.
"""

import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

import fuzz
import graphs

RTOL, ATOL = 1e-3, 1e-5
# Where halves are on the way.
COARSE_RTOL = 0.1
# Relative to a number: a few roundings of a float; two of narrower ones.
NUDGE = 1e-6
# Seconds for one model, and for the start of NNSmith, which looks at what exporter and ONNX Runtime can do.
PATIENCE, START = 30, 300


class GuardedPeer:
    """ONNX Runtime in a process of its own: integers divided by 0 end it."""

    def __init__(self):
        self.refusals, self.pool = 0, None

    def run(self, model, feeds):
        if not self.pool:
            self.pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("forkserver"))
        try:
            results = self.pool.submit(run_apart, model.SerializeToString(), feeds).result()
        except concurrent.futures.process.BrokenProcessPool:
            self.pool, results = None, None
        return results

    def close(self):
        if self.pool:
            self.pool.shutdown()


def run_apart(model, feeds):
    return fuzz.Peer().run(onnx.load_from_string(model), feeds)


def generate(program, seeds, size, folder):
    """FOLDER/SEED/model.onnx. What cannot be exported ends NNSmith, and some constraints it never solves: it is asked
    again for those behind."""
    pending = [seed for seed in seeds if not (folder / str(seed) / "oracle.pkl").exists()]
    while pending:
        with tempfile.TemporaryDirectory(prefix="nnsmith") as scratch:
            writer = subprocess.Popen(
                [program, "-m", "model.type=onnx", "backend.type=onnxruntime", f"mgen.max_nodes={size}",
                 "mgen.seed=" + ",".join(map(str, pending)), f"mgen.save={folder}/${{mgen.seed}}"],
                cwd=scratch, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            patience = START
            while pending and wait_for(folder / str(pending[0]) / "oracle.pkl", writer, patience):
                pending.pop(0)
                patience = PATIENCE
            writer.kill()
            writer.wait()
        pending = pending[1:]


def wait_for(path, writer, patience):
    """Whether the process writes the file, the last of a model, before it ends or loses itself."""
    deadline = time.monotonic() + patience
    while not path.exists():
        if writer.poll() is not None or time.monotonic() > deadline:
            return path.exists()
        time.sleep(0.05)
    return True


def inputs_of(model, seed):
    """Small numbers for the inputs."""
    random = np.random.default_rng(seed)
    result = []
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = tuple(dim.dim_value for dim in kind.shape.dim)
        if kind.elem_type == onnx.TensorProto.BOOL:
            data = random.integers(0, 2, shape)
        elif kind.elem_type in graphs.FLOATS:
            data = random.uniform(-2, 2, shape)
        else:
            data = random.integers(0 if kind.elem_type in graphs.UNSIGNED else -4, 5, shape)
        data = np.asarray(data).astype(graphs.numpy_type(kind.elem_type))
        result.append(graphs.Tensor(value.name, kind.elem_type, shape, 4, False, data))
    return result


def nudge(array, random):
    array = np.asarray(array)
    if array.dtype.kind != "f":
        return array
    size = max(NUDGE, 2 * np.finfo(array.dtype).eps)
    with np.errstate(all="ignore"):
        return np.asarray(array * (1 + size * random.choice((-1, 1), array.shape))).astype(array.dtype)


def is_coarse(model):
    """Whether numbers become halves somewhere."""
    kinds = [t.type.tensor_type.elem_type for t in model.graph.input] + [t.data_type for t in model.graph.initializer]
    kinds += [attribute.i for node in model.graph.node if node.op_type == "Cast" for attribute in node.attribute]
    return any(kind in graphs.FLOATS[2:] for kind in kinds)


def changed(model, vary):
    """The model with other weights, which are initializers or attributes of Constant."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    weights = list(result.graph.initializer)
    weights += [node.attribute[0].t for node in result.graph.node if node.op_type == "Constant"]
    for tensor in weights:
        tensor.CopyFrom(onnx.numpy_helper.from_array(vary(onnx.numpy_helper.to_array(tensor)), tensor.name))
    return result


def steady_outputs(model, inputs, peer, seed, rtol):
    """Names of the outputs that stay what they are when inputs and weights change a little; null without ONNX Runtime."""
    def run(vary):
        return peer.run(changed(model, vary), {t.name: (vary(t.value), t.dtype) for t in inputs})
    first = run(np.asarray)
    if first is None:
        return None
    random = np.random.default_rng(seed)
    steady = [True] * len(first)
    for _ in range(3):
        again = run(lambda array: nudge(array, random))
        with np.errstate(all="ignore"):
            steady = [so_far and other.shape == one.shape and
                      np.allclose(one, other, 0.1 * rtol, 0.1 * ATOL, equal_nan=True)
                      for so_far, one, other in zip(steady, first, again or first)]
    vague = searched_without_order(model, inputs, peer)
    return [output.name for output, good in zip(model.graph.output, steady) if good and output.name not in vague]


def searched_without_order(model, inputs, peer):
    """Values behind an ArgMax or ArgMin that meets a NaN, of which ONNX does not say where it stands."""
    types = fuzz.types_of(fuzz.Candidate("", model, inputs, 0, 0))
    searches = [node for node in model.graph.node if node.op_type in ("ArgMax", "ArgMin")]
    operands = sorted({node.input[0] for node in searches} & set(types))
    if not operands:
        return set()
    values = peer.run(fuzz.with_outputs(model, operands, types), {t.name: (t.value, t.dtype) for t in inputs})
    broken = {name for name, value in zip(operands, values or []) if value.dtype.kind == "f" and np.isnan(value).any()}
    found = {node.output[0] for node in searches if node.input[0] in broken}
    for node in model.graph.node:
        if found & set(node.input):
            found |= set(node.output)
    return found


def hide_extents(model):
    for value in model.graph.input:
        for i, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}.{i}"
    model.graph.ClearField("value_info")
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()


def candidate(path, seed, peer, dynamic):
    """The network with outputs that can be compared; null when it has none."""
    model = onnx.load(path)
    inputs = inputs_of(model, seed)
    rtol = COARSE_RTOL if is_coarse(model) else RTOL
    names = steady_outputs(model, inputs, peer, seed, rtol)
    if names == []:
        return None
    if names is None:
        peer.refusals += 1
    else:
        model = fuzz.with_outputs(model, names, {value.name: value for value in model.graph.output})
    if dynamic:
        hide_extents(model)
    return fuzz.Candidate(f"nnsmith_{seed}", model, inputs, rtol, ATOL)


def parse():
    options = fuzz.parser(__doc__)
    options.add_argument("--nnsmith", help="its program nnsmith.model_gen; not needed where --models has all")
    options.add_argument("--size", type=int, default=12, help="nodes of NNSmith, of which PyTorch makes more")
    options.add_argument("--dynamic", action="store_true", help="hide the extents of inputs")
    options.add_argument("--models", help="folder for the models")
    return options.parse_args()


def main():
    options = parse()
    total, failures = 0, 0
    with tempfile.TemporaryDirectory(prefix="nnsmith") as scratch, contextlib.closing(GuardedPeer()) as peer:
        folder = pathlib.Path(options.models or scratch).resolve()
        last = options.seed + options.count
        for first in range(options.seed, last, fuzz.CHUNK):
            seeds = range(first, min(first + fuzz.CHUNK, last))
            if options.nnsmith:
                generate(options.nnsmith, seeds, options.size, folder)
            paths = {seed: folder / str(seed) / "model.onnx" for seed in seeds}
            found = [candidate(path, seed, peer, options.dynamic) for seed, path in paths.items() if path.exists()]
            candidates = {one.name: one for one in found if one}
            total += len(candidates)
            failures += fuzz.report(candidates, peer, options)
        print(f"{total} networks, {failures} failures, {peer.refusals} not run by ONNX Runtime")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
