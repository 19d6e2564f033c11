"""How long PyTorch takes for the networks that bench.py measures: eagerly, as a CUDA graph, compiled."""

import statistics
import time

import torch

TYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16}


def median_ms(call, runs=100):
    """Of the host's clock around one run and the wait for it, as hone-run measures."""
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def as_graph(call):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def bert():
    from transformers import BertConfig, BertModel
    return BertModel(BertConfig())


def vision(name):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None)
    return make


MODELS = {"resnet50": vision("resnet50"), "mobilenet_v2": vision("mobilenet_v2"), "vit_b16": vision("vit_b_16"),
          "bert_base": bert}


def measure(name, feeds, precision, compiled):
    """Median milliseconds by name of the way, in the better of two layouts. `feeds` are NumPy arrays in the order of
    the network's inputs."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True
    dtype = TYPES[precision]
    model = MODELS[name]().eval().to("cuda", dtype)
    values = [torch.from_numpy(value).to("cuda") for value in feeds]
    values = [value.to(dtype) if value.is_floating_point() else value for value in values]
    results = [measure_layout(model, values, compiled)]
    if values[0].dim() == 4:
        last = torch.channels_last
        results.append(measure_layout(model.to(memory_format=last), [v.to(memory_format=last) for v in values], compiled))
    return {way: min(result[way] for result in results) for way in results[0]}


def measure_layout(model, values, compiled):
    with torch.inference_mode():
        result = {"eager": median_ms(lambda: model(*values)), "graph": median_ms(as_graph(lambda: model(*values)))}
        if compiled:
            fast = torch.compile(model, mode="reduce-overhead")
            result["compiled"] = median_ms(lambda: fast(*values))
            torch.compiler.reset()
    return result
