"""How long PyTorch takes for a network of torchvision: eagerly, as a CUDA graph, compiled."""

import statistics

import torch
import torchvision

TYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16}


def median_ms(call, runs=60):
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def as_graph(model, value):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            model(value)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(value)
    return graph.replay


def measure(name, shape, dtype, compiled):
    """Median milliseconds by name of the way."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = dtype == "tf32"
    torch.backends.cudnn.benchmark = True
    model = getattr(torchvision.models, name)(weights=None).eval().to("cuda", TYPES[dtype])
    value = torch.randn(shape, device="cuda", dtype=TYPES[dtype])
    if len(shape) == 4:
        model, value = (each.to(memory_format=torch.channels_last) for each in (model, value))
    with torch.inference_mode():
        result = {"eager": median_ms(lambda: model(value)), "graph": median_ms(as_graph(model, value))}
        if compiled:
            fast = torch.compile(model, mode="reduce-overhead")
            result["torch.compile"] = median_ms(lambda: fast(value))
    return result
