#!/usr/bin/env python3
"""Microsoft's operators (domain com.microsoft), one small model a case, against ONNX Runtime.

usage: contrib_test.py --build BUILD [--target T] [--only OPERATOR]... [--jobs N]

contrib_cases.py is the table. Floats may differ by a case's limit, relative to the range of the output; 8-bit integers
by one step, where two roundings meet. Where ONNX Runtime has no kernel for the processor, a case says what to compare
with.
"""

import argparse
import concurrent.futures

import numpy as np
from onnx import helper, numpy_helper

import harness
from contrib_cases import CASES


def build(case):
    """The model of a case: a graph with one node; what the case calls constants are initializers."""
    names = [f"x{i}" if array is not None else "" for i, array in enumerate(case.inputs)]
    while names and not names[-1]:
        names.pop()
    outputs = [f"y{i}" if wanted else "" for i, wanted in enumerate(case.outputs)]
    while not outputs[-1]:
        outputs.pop()
    node = helper.make_node(case.operator, names, outputs, name="node", domain=case.domain, **case.attributes)
    feeds, infos, initializers = {}, [], []
    for i, (name, array) in enumerate(zip(names, case.inputs)):
        if not name:
            continue
        if i in case.constants:
            initializers.append(numpy_helper.from_array(array, name))
            continue
        feeds[name] = array
        last = array.ndim - 1 if array.dtype.kind == "f" else array.ndim
        shape = [f"{name}_{d}" if case.dynamic and extent != 1 and d < last else extent
                 for d, extent in enumerate(array.shape)]
        infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
    results = [helper.make_empty_tensor_value_info(name) for name in outputs if name]
    for result in results:
        if result.name in case.types:
            result.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(case.types[result.name]))
    graph = helper.make_graph([node], case.operator, infos, results, initializers)
    imports = [helper.make_opsetid("", case.opset), helper.make_opsetid("com.microsoft", 1)]
    # Types of 4 bits came with version 10.
    return helper.make_model(graph, opset_imports=imports, ir_version=10), feeds


def expectation(case, model, feeds, path):
    """The outputs that the case should have, by name."""
    if case.expected:
        return dict(zip((output.name for output in model.graph.output), case.expected(*feeds.values())))
    if case.peer:
        model, feeds = build(case.peer)
    path.write_bytes(model.SerializeToString())
    return {name: case.then(value) for name, value in harness.Peer(path).run(feeds).items()}


def typed(model, expected):
    """The model with the types of its outputs: what a model on disk has."""
    for output in model.graph.output:
        dtype = expected[output.name].dtype if output.name in expected else np.float32
        output.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return model


def difference(actual, expected):
    """In steps of integers, or relative to the range of floats."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise harness.Failed(f"an output is {actual.dtype}{list(actual.shape)}, "
                             f"not {expected.dtype}{list(expected.shape)}")
    if expected.dtype.kind in "iu":
        return float(np.abs(actual.astype(np.int64) - expected.astype(np.int64)).max(initial=0))
    return harness.Difference.between(actual, expected).relative


def check(case, options):
    hone = harness.Hone(options.build, options.target, options.hone_run)
    path = hone.folder / "model.onnx"
    try:
        model, feeds = build(case)
        expected = expectation(case, model, feeds, path)
        path.write_bytes(typed(model, expected).SerializeToString())
        if case.refused:
            try:
                hone.compile(path)
            except harness.Failed as failure:
                good = "node 'node'" in str(failure) and case.refused in str(failure)
                return (case.operator, case.name, "", "ok" if good else f"refused otherwise: {failure}")
            return (case.operator, case.name, "", "was not refused")
        module, _ = hone.compile(path, "-O1")
        actual = hone.run(module, feeds)
        worst, good = 0.0, True
        for name, value in expected.items():
            found = difference(case.seen(actual[name]), case.seen(value))
            limit = case.limit if value.dtype.kind not in "iu" else (1 if value.dtype.itemsize == 1 else 0)
            good &= found <= limit
            worst = max(worst, found)
        return (case.operator, case.name, f"{worst:.1e}", "ok" if good else "differs")
    except Exception as failure:  # ONNX Runtime's are of many kinds
        return (case.operator, case.name, "", f"failed: {failure}")


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", action="append", metavar="OPERATOR")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hone-run", help="the program that runs modules, with what starts it")
    options = parser.parse_args()

    cases = [case for case in CASES if not options.only or case.operator in options.only]
    rows = [("operator", "case", "difference", "verdict")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows += pool.map(lambda case: check(case, options), cases)
    harness.print_table(rows)
    good = sum(row[-1] == "ok" for row in rows[1:])
    print(f"{good} of {len(cases)} cases agree")
    return 0 if good == len(cases) else 1


if __name__ == "__main__":
    harness.main(run)
