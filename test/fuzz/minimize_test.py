#!/usr/bin/env python3
"""What --minimize leaves of graphs in which one node is at fault: this node, with values of the whole graph before it.

usage: minimize_test.py
"""

import sys

import numpy as np

import fuzz


def survivors(one, culprit, peer):
    """The graph that is left when everything that has the node fails."""
    def judge(candidates, _peer, _options):
        failing = [c for c in candidates if any(node.name == culprit for node in c.model.graph.node)]
        return {c.name: "planted" for c in failing}
    fuzz.judge = judge
    return fuzz.minimize(one, peer, None)


def outputs_of(one, names, types, peer):
    used = {t.name for t in one.model.graph.input}
    return peer.run(fuzz.with_outputs(one.model, names, types),
                    {t.name: (t.value, t.dtype) for t in one.inputs if t.name in used})


def agree(whole, part):
    """ONNX Runtime keeps values between narrow floats in f32, so those depend on what stands around them."""
    if whole.dtype == np.float16:
        return np.allclose(whole, part, rtol=1e-2, atol=1e-2, equal_nan=True)
    return np.array_equal(whole, part, equal_nan=True)


def main():
    peer, wrong, count = fuzz.Peer(), 0, 0
    for seed in range(1, 9):
        one = fuzz.candidate(seed, (6, 12))
        types = fuzz.types_of(one)
        for node in one.model.graph.node:
            whole = outputs_of(one, [node.output[0]], types, peer)
            if whole is None:
                continue
            count += 1
            small = survivors(one, node.name, peer)
            left = [other.name for other in small.model.graph.node]
            part = outputs_of(small, [node.output[0]], types, peer)
            if left != [node.name] or part is None or not agree(whole[0], part[0]):
                print(f"seed {seed}: of {node.name} is left {left}")
                wrong += 1
    print(f"{count} nodes, {wrong} not found")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
