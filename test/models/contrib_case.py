"""What a case of Microsoft's operators is, and what its inputs are made of."""

import dataclasses
import typing

import numpy as np

rng = np.random.default_rng(7)


@dataclasses.dataclass
class Case:
    operator: str
    name: str
    inputs: list  # arrays; None: absent
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: tuple = (True,)  # which are asked for
    constants: tuple = ()  # positions of inputs that are weights
    types: dict = dataclasses.field(default_factory=dict)  # of outputs that ONNX Runtime does not infer
    dynamic: bool = False  # extents are known at run time only, but the last of floats
    domain: str = "com.microsoft"
    limit: float = 1e-5
    opset: int = 17  # of ONNX
    seen: typing.Callable = lambda output: output  # the part of an output that is specified
    refused: str = ""  # part of the message
    # Where ONNX Runtime has no kernel for the processor: what it computes instead, and what that becomes,
    peer: "Case" = None
    then: typing.Callable = lambda output: output
    # or the outputs, from the inputs.
    expected: typing.Callable = None


CASES = []


def instead(operator, inputs, attributes=None, **more):
    inputs = [None if array is None else np.asarray(array) for array in inputs]
    return Case(operator, "", inputs, attributes or {}, **more)


def case(operator, name, inputs, attributes=None, **more):
    CASES.append(dataclasses.replace(instead(operator, inputs, attributes, **more), name=name))


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def f16(*shape):
    return f32(*shape).astype(np.float16)


def u8(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def i8(*shape):
    """Few enough bits that ONNX Runtime's sums of two products do not saturate on processors without dot products."""
    return rng.integers(-64, 64, shape).astype(np.int8)


def i32(*values):
    return np.array(values, np.int32)


def scale(value):
    return np.array(value, np.float32)


def below(high, *shape, dtype=np.int32):
    return rng.integers(0, high, shape).astype(dtype)
