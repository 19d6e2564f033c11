"""Models with several nodes at fault, all of which are to be named: kinds of bad_input.py."""

from onnx import TensorProto, helper

from models import model, value


def many_faults(path):
    """Unknown operators among bad attributes, types, shapes and inputs: all are to be named, in order."""
    nodes = [helper.make_node("Custom", ["x"], ["custom"], name="unknown", domain="com.example"),
             helper.make_node("Relu", ["custom"], ["behind"], name="behind"),
             helper.make_node("Transpose", ["m"], ["t"], name="attribute", perm=[0, 0]),
             helper.make_node("Concat", ["m", "m"], ["c"], name="axis", axis=77),
             helper.make_node("Add", ["m", "i"], ["a"], name="types"),
             helper.make_node("MatMul", ["m", "m"], ["mm"], name="shapes"),
             helper.make_node("Identity", ["s"], ["s2"], name="string"),
             helper.make_node("Cast", ["m"], ["to"], name="schema"),
             helper.make_node("Relu", ["m", "m"], ["two"], name="arity"),
             helper.make_node("Relu", ["m"], ["fine"], name="fine"),
             helper.make_node("StringNormalizer", ["s"], ["s3"], name="unsupported")]
    return model(nodes, [value("x", [4]), value("m", [2, 3]), value("i", [2, 3], TensorProto.INT32),
                         value("s", [2], TensorProto.STRING), value("z", [2], TensorProto.COMPLEX64)],
                 [value(name, None) for name in ("behind", "t", "c", "a", "mm", "to", "two", "fine")])


def old_faults(path):
    """An unknown operator and a bad axis in a model of opset 12, which is converted."""
    nodes = [helper.make_node("Custom", ["x"], ["c"], name="unknown", domain="com.example"),
             helper.make_node("Softmax", ["c"], ["s"], name="behind"),
             helper.make_node("Concat", ["m", "m"], ["y"], name="axis", axis=77)]
    return model(nodes, [value("x", [4]), value("m", [2, 3])], [value("s", None), value("y", None)], opset=12)


def nested_fault(path):
    """Unknown operators in a branch and behind it."""
    then = helper.make_graph([helper.make_node("Frobnicate", ["x"], ["a"], name="inner")], "then", [],
                             [value("a", [4])])
    other = helper.make_graph([helper.make_node("Relu", ["ghost"], ["b"], name="haunted")], "else", [],
                              [value("b", [4])])
    nodes = [helper.make_node("If", ["c"], ["y"], name="cond", then_branch=then, else_branch=other),
             helper.make_node("Frobnicate", ["x"], ["z"], name="outer")]
    return model(nodes, [value("x", [4]), value("c", [], TensorProto.BOOL)], [value("y", [4]), value("z", [4])])


def function_fault(path):
    """A local function with an unknown operator and a bad node; a function that nobody calls has one too."""
    def function(name, nodes):
        return helper.make_function("local", name, ["a"], ["b"], nodes,
                                    [helper.make_opsetid("", 22), helper.make_opsetid("local", 1)])

    result = model([helper.make_node("Relu", ["x"], ["r"], name="innocent"),
                    helper.make_node("Outer", ["r"], ["y"], domain="local", name="call")],
                   [value("x", [4])], [value("y", [4])],
                   functions=[function("Inner", [helper.make_node("Frobnicate", ["a"], ["c"], name="deep"),
                                                 helper.make_node("Cast", ["c"], ["b"], name="cast")]),
                              function("Outer", [helper.make_node("Inner", ["a"], ["b"], domain="local", name="in")]),
                              function("Unused", [helper.make_node("Nobody", ["a"], ["b"], name="unused")])])
    result.opset_import.append(helper.make_opsetid("local", 1))
    return result
