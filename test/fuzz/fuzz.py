#!/usr/bin/env python3
"""Random graphs through the interpreter, the compiler at -O0 and -O3, and ONNX Runtime: all must agree.

usage: fuzz.py --seed S --count N [--build BUILD] [--target TARGET] [--device DEVICE] [--nodes MIN..MAX] [--jobs N]
               [--minimize] [--keep DIR] [--list]

Graph S+i is the same on every machine. A mismatch prints the seed, what differs, and the model as ONNX's text;
--minimize first takes away nodes as long as the mismatch stays. --keep leaves models and values of mismatches in DIR,
in the form of test/onnx: `hone verify DIR/NAME/model.onnx --data DIR/NAME/test_data_set_0` shows them again.
What ONNX Runtime does not take is compared without it.
"""

import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import graphs
import operators

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "onnx"))
import generate_cases  # noqa: E402

CHUNK = 64


class Peer:
    """ONNX Runtime; why it has no outputs is counted."""

    def __init__(self):
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self.runtime = onnxruntime
        self.refusals = 0

    def run(self, model, feeds):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = self.runtime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
            known = {value.name for value in session.get_inputs()}
            values = {name: self.runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(data, kind)
                      for name, (data, kind) in feeds.items() if name in known}
            results = session.run_with_ort_values(None, values)
            kinds = [output.type.tensor_type.elem_type for output in model.graph.output]
            return [to_array(result, kind) for result, kind in zip(results, kinds)]
        except Exception:  # pylint: disable=broad-except
            self.refusals += 1
            return None


def to_array(value, kind):
    data = value.numpy()
    wanted = graphs.numpy_type(kind)
    return data if data.dtype == wanted else data.view(wanted)


class Candidate:
    """A model with its inputs, as a case of test/onnx."""

    def __init__(self, name, model, inputs, rtol, atol, kinds=None):
        self.name, self.model, self.inputs = name, model, inputs
        self.rtol, self.atol = rtol, atol
        self.kinds = kinds or {}  # element types of values, where they are known

    def part(self, model, more_inputs=()):
        return Candidate(self.name, model, [*self.inputs, *more_inputs], self.rtol, self.atol, self.kinds)

    def write(self, folder, peer):
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(self.model.SerializeToString())
        data = folder / "test_data_set_0"
        data.mkdir()
        used = {t.name for t in self.model.graph.input}
        inputs = [t for t in self.inputs if t.name in used]
        expected = peer.run(self.model, {t.name: (t.value, t.dtype) for t in inputs}) or []
        packed = b"HONECASE" + struct.pack("<II", len(inputs), len(expected))
        for i, t in enumerate(inputs):
            proto = graphs.to_proto(t.value, t.name)
            (data / f"input_{i}.pb").write_bytes(proto.SerializeToString())
            packed += generate_cases.pack_value(proto, t.name)
        for i, (value, output) in enumerate(zip(expected, self.model.graph.output)):
            proto = graphs.to_proto(value, output.name)
            (data / f"output_{i}.pb").write_bytes(proto.SerializeToString())
            packed += generate_cases.pack_value(proto, output.name)
        (folder / "data_0.bin").write_bytes(packed)

    def line(self):
        return f"fuzz\t{self.name}\t{self.rtol!r}\t{self.atol!r}\t1\n"


def candidate(seed, nodes):
    """The graph of a seed; null when nothing came of it."""
    graph = graphs.Graph(seed)
    outputs = operators.build(graph, graph.random.randint(*nodes))
    if not outputs:
        return None
    inputs = [t for t, _ in graph.inputs]
    narrow = any(t.coarse or t.dtype in graphs.FLOATS[2:] for t in outputs)
    return Candidate(f"seed_{seed}", graph.model(outputs), inputs, 5e-2 if narrow else 1e-3, graph.tolerance(outputs),
                     {t.name: t.dtype for t in graph.pool})


def judge(candidates, peer, options, keep=None):
    """Reasons of those that fail, by name."""
    folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="fuzz"))
    try:
        for one in candidates:
            one.write(folder / "fuzz" / one.name, peer)
        (folder / "manifest.tsv").write_text("".join(one.line() for one in candidates))
        runner = pathlib.Path(options.build) / "test" / "fuzz" / "fuzz-runner"
        done = subprocess.run([runner, folder, f"--workers={options.jobs}", f"--limit={options.limit}",
                               f"--target={options.target}", f"--device={options.device}"],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"fuzz-runner failed: {done.stderr}")
        found = [line.split("\t") for line in done.stdout.splitlines()]
        return {name: f"{status}: {reason}" for name, status, reason in found if status != "pass"}
    finally:
        if not keep:
            shutil.rmtree(folder)


# ===-----------------------------------------------------------------------=== #
# Minimizing
# ===-----------------------------------------------------------------------=== #


def with_outputs(model, names, types):
    """The part of a model that some of its values need."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    graph, needed, kept = result.graph, set(names), []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input) | free_names(node)
    for field, values in (("node", reversed(kept)),
                          ("input", [t for t in model.graph.input if t.name in needed]),
                          ("initializer", [t for t in model.graph.initializer if t.name in needed]),
                          ("output", [types[name] for name in names])):
        values = list(values)
        graph.ClearField(field)
        getattr(graph, field).extend(values)
    return result


def free_names(node):
    """What graphs within a node use from outside, and more."""
    names = set()
    for attribute in node.attribute:
        if attribute.HasField("g"):
            names |= {value.name for value in attribute.g.output}
            for inner in attribute.g.node:
                names |= set(inner.input) | free_names(inner)
    return names


def types_of(one):
    """Types of values, by name; ONNX infers none behind some operators."""
    known = {name: onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in one.kinds.items()}
    inferred = onnx.shape_inference.infer_shapes(one.model)
    known |= {t.name: t for t in [*inferred.graph.value_info, *inferred.graph.output]}
    for value in known.values():
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    return known


def cut(one, names, values):
    """The candidate with the values of a node as inputs."""
    model = onnx.ModelProto()
    model.CopyFrom(one.model)
    kept = [node for node in model.graph.node if not set(names) & set(node.output)]
    model.graph.ClearField("node")
    model.graph.node.extend(kept)
    extra = [graphs.Tensor(name, graphs.to_proto(values[name], name).data_type, values[name].shape, 0, False,
                           values[name]) for name in names]
    model.graph.input.extend(onnx.helper.make_tensor_value_info(t.name, t.dtype, t.shape) for t in extra)
    types = {t.name: t for t in model.graph.output}
    return one.part(with_outputs(model, list(types), types), extra)


def minimize(one, peer, options):
    """First the smallest part that ends in a wrong value, then its front becomes inputs."""
    def fails(other):
        return bool(judge([other], peer, options))
    types = types_of(one)
    for node in one.model.graph.node:
        for name in node.output:
            if name not in types:
                continue
            part = one.part(with_outputs(one.model, [name], types))
            if len(part.model.graph.node) < len(one.model.graph.node) and fails(part):
                return shorten(part, peer, fails)
    return shorten(one, peer, fails)


def shorten(one, peer, fails):
    types = types_of(one)
    # NumPy has no bfloat16.
    seen = {name for name, t in types.items() if t.type.tensor_type.elem_type != onnx.TensorProto.BFLOAT16}
    names = [name for node in one.model.graph.node for name in node.output if name in seen]
    used = {t.name for t in one.model.graph.input}
    feeds = {t.name: (t.value, t.dtype) for t in one.inputs if t.name in used}
    results = peer.run(with_outputs(one.model, names, types), feeds)
    if not results:
        return one
    values = dict(zip(names, map(np.asarray, results)))
    outputs = {t.name for t in one.model.graph.output}
    for node in reversed(one.model.graph.node):
        made = [name for name in node.output if name]
        if outputs & set(made) or any(name not in values for name in made):
            continue
        if not any(set(made) & set(other.output) for other in one.model.graph.node):
            continue
        shorter = cut(one, made, values)
        if fails(shorter):
            one = shorter
    return one


# ===-----------------------------------------------------------------------=== #


def report(candidates, peer, options):
    """Judges candidates, by name, and prints those that fail; returns how many do."""
    failed = judge(list(candidates.values()), peer, options)
    for name, reason in failed.items():
        one = candidates[name]
        print(f"{name}: {reason}", flush=True)
        if options.minimize:
            one = minimize(one, peer, options)
        print(onnx.printer.to_text(one.model), flush=True)
        if options.keep:
            judge([one], peer, options, keep=f"{options.keep}/{name}")
    return len(failed)


def parser(description):
    """Options of every script that judges candidates."""
    result = argparse.ArgumentParser(description=description.splitlines()[0])
    result.add_argument("--seed", type=int, default=1)
    result.add_argument("--count", type=int, default=100)
    result.add_argument("--build", default=REPOSITORY / "build" / "dev")
    result.add_argument("--target", default="cpu", help="what to compile for")
    result.add_argument("--device", default="cpu", help="where to run")
    result.add_argument("--jobs", type=int, default=2)
    result.add_argument("--limit", type=float, default=300, help="seconds a graph may take")
    result.add_argument("--minimize", action="store_true")
    result.add_argument("--keep", help="folder for models that fail")
    return result


def parse():
    options = parser(__doc__)
    options.add_argument("--nodes", default="4..16", help="how many nodes a graph has, about")
    options.add_argument("--list", action="store_true", help="only print the models")
    options = options.parse_args()
    options.nodes = tuple(map(int, options.nodes.split("..")))
    return options


def main():
    options = parse()
    peer, total, failures = Peer(), 0, 0
    for first in range(options.seed, options.seed + options.count, CHUNK):
        seeds = range(first, min(first + CHUNK, options.seed + options.count))
        candidates = {c.name: c for c in (candidate(seed, options.nodes) for seed in seeds) if c}
        if options.list:
            for one in candidates.values():
                print(onnx.printer.to_text(one.model))
            continue
        total += len(candidates)
        failures += report(candidates, peer, options)
    if not options.list:
        print(f"{total} graphs, {failures} failures, {peer.refusals} not run by ONNX Runtime")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
