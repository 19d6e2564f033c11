#!/usr/bin/env python3
"""Writes ONNX's own conformance cases to files that a program without Python can run.

usage: generate_cases.py OUT

OUT/manifest.tsv              suite, case, rtol, atol, number of data sets; one case a line
OUT/SUITE/CASE/model.onnx
OUT/SUITE/CASE/test_data_set_N/{input,output}_I.pb    what `hone verify --data` reads
OUT/SUITE/CASE/data_N.bin                             the same values, in the layout below

The node cases exist only as Python inside the onnx package and some of their expected values depend
on NumPy's rounding, so they are generated here and never committed. Nothing is done when OUT is of
this package version and this script.

data_N.bin, little endian: "HONECASE", u32 inputs, u32 outputs, then for every value:
  u32 kind       0 tensor, 1 sequence, 2 absent optional
  u32 length, name
  tensor:        u32 TensorProto data type, u32 rank, i64 dims[rank], u64 bytes, raw_data;
                 strings are u32 length + bytes each
  sequence:      u32 count, then that many values without names
"""

import hashlib
import json
import pathlib
import shutil
import struct
import sys
import warnings

import numpy as np
import onnx
import onnx.backend.test.loader as loader
from onnx import numpy_helper

KINDS_ON_DISK = ("simple", "pytorch-converted", "pytorch-operator")
DATA = pathlib.Path(loader.DATA_DIR)


def stamp():
    script = pathlib.Path(__file__).read_bytes()
    return f"{onnx.__version__} {np.__version__} {hashlib.sha256(script).hexdigest()}\n"


# ===-----------------------------------------------------------------------=== #
# Values: a TensorProto, a list of them, or None
# ===-----------------------------------------------------------------------=== #


def to_proto(value):
    """The value with its data in raw_data (or string_data), whatever it came as."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [to_proto(item) for item in value]
    if isinstance(value, onnx.TensorProto):
        if value.HasField("raw_data") or value.data_type == onnx.TensorProto.STRING:
            return value
        value = numpy_helper.to_array(value)
    return numpy_helper.from_array(np.asarray(value))


def load_proto(path, value_type):
    content = path.read_bytes()
    if value_type.HasField("sequence_type"):
        return to_proto(numpy_helper.to_list(onnx.SequenceProto.FromString(content)))
    if value_type.HasField("optional_type"):
        return to_proto(numpy_helper.to_optional(onnx.OptionalProto.FromString(content)))
    return to_proto(onnx.TensorProto.FromString(content))


def save_proto(path, value, value_type):
    if value_type.HasField("optional_type"):
        array = None if value is None else numpy_helper.to_array(value) if not isinstance(value, list) \
            else [numpy_helper.to_array(item) for item in value]
        value = numpy_helper.from_optional(array)
    elif isinstance(value, list):
        value = numpy_helper.from_list([numpy_helper.to_array(item) for item in value])
    path.write_bytes(value.SerializeToString() if value is not None else b"")


def pack_text(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<I", len(data)) + data


def pack_value(value, name):
    head = b"" if name is None else pack_text(name)
    if value is None:
        return struct.pack("<I", 2) + head
    if isinstance(value, list):
        return struct.pack("<I", 1) + head + struct.pack("<I", len(value)) + b"".join(
            pack_value(item, None) for item in value)
    if value.data_type == onnx.TensorProto.STRING:
        raw = b"".join(pack_text(item) for item in value.string_data)
    else:
        raw = value.raw_data
    dims = list(value.dims)
    return (struct.pack("<I", 0) + head + struct.pack("<II", value.data_type, len(dims)) +
            struct.pack(f"<{len(dims)}q", *dims) + struct.pack("<Q", len(raw)) + raw)


# ===-----------------------------------------------------------------------=== #
# Cases
# ===-----------------------------------------------------------------------=== #


def write_case(folder, model_bytes, graph, data_sets):
    """`data_sets` holds (inputs, outputs) pairs of values, in the graph's order."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model_bytes)
    initializers = {tensor.name for tensor in graph.initializer}
    # Where a data set has fewer inputs than the graph, the initializers are not among them.
    for number, (inputs, outputs) in enumerate(data_sets):
        inputs, outputs = [[to_proto(value) for value in side] for side in (inputs, outputs)]
        declared = list(graph.input)
        if len(declared) != len(inputs):
            declared = [info for info in declared if info.name not in initializers]
        if len(declared) < len(inputs) or len(graph.output) != len(outputs):
            raise ValueError(f"{folder}: data set {number} does not fit the model")
        sides = (("input", declared[:len(inputs)], inputs), ("output", list(graph.output), outputs))
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        packed = b"HONECASE" + struct.pack("<II", len(inputs), len(outputs))
        for side, infos, values in sides:
            for index, (info, value) in enumerate(zip(infos, values)):
                save_proto(data / f"{side}_{index}.pb", value, info.type)
                packed += pack_value(value, info.name)
        (folder / f"data_{number}.bin").write_bytes(packed)
    return len(data_sets)


def node_cases():
    for case in loader.load_node_model_tests():
        if case.model is None:
            raise ValueError(f"{case.name} has no model")
        yield case.name, case.rtol, case.atol, case.model.SerializeToString(), case.model.graph, case.data_sets


def cases_on_disk(kind):
    for case in sorted(loader.load_model_tests(kind=kind), key=lambda case: case.name):
        folder = pathlib.Path(case.model_dir)
        content = (folder / "model.onnx").read_bytes()
        graph = onnx.ModelProto.FromString(content).graph
        initializers = {tensor.name for tensor in graph.initializer}
        real_inputs = [info for info in graph.input if info.name not in initializers]
        data_sets = []
        for data in sorted(folder.glob("test_data_set_*")):
            count = len(list(data.glob("input_*.pb")))
            declared = list(graph.input) if count == len(graph.input) else real_inputs
            data_sets.append((
                [load_proto(data / f"input_{i}.pb", declared[i].type) for i in range(count)],
                [load_proto(data / f"output_{i}.pb", info.type) for i, info in enumerate(graph.output)]))
        yield case.name, case.rtol, case.atol, content, graph, data_sets


def light_cases():
    """Nine classic networks with constant weights, fed with arange(n) / n as ONNX's runner does."""
    for case in sorted(loader.load_model_tests(kind="real"), key=lambda case: case.name):
        path = DATA / "light" / pathlib.PurePosixPath(case.url).name
        content = path.read_bytes()
        graph = onnx.ModelProto.FromString(content).graph
        initializers = {tensor.name for tensor in graph.initializer}
        inputs = []
        for info in graph.input:
            if info.name not in initializers:
                shape = [dim.dim_value or 1 for dim in info.type.tensor_type.shape.dim]
                count = int(np.prod(shape))
                inputs.append((np.arange(count).reshape(shape) / count).astype(np.float32))
        outputs = [load_proto(path.with_name(f"{path.stem}_output_{i}.pb"), info.type)
                   for i, info in enumerate(graph.output)]
        yield case.name, case.rtol, case.atol, content, graph, [(inputs, outputs)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1]).resolve()
    done = out / "stamp.txt"
    if done.exists() and done.read_text() == stamp():
        return
    # Some cases overflow or divide by zero on purpose.
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    fresh = out.with_name(out.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    suites = {"node": node_cases(), "light": light_cases()}
    suites.update({kind: cases_on_disk(kind) for kind in KINDS_ON_DISK})
    counts, lines = {}, []
    for suite, cases in suites.items():
        for name, rtol, atol, content, graph, data_sets in cases:
            count = write_case(fresh / suite / name, content, graph, data_sets)
            lines.append(f"{suite}\t{name}\t{rtol!r}\t{atol!r}\t{count}\n")
            counts[suite] = counts.get(suite, 0) + 1
    (fresh / "manifest.tsv").write_text("".join(sorted(lines)))
    (fresh / "stamp.txt").write_text(stamp())
    shutil.rmtree(out, ignore_errors=True)
    fresh.rename(out)
    print(f"onnx {onnx.__version__}: {json.dumps(counts)}")


if __name__ == "__main__":
    main()
