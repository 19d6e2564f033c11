"""The lit suite: text files below test/ whose RUN lines call the built tools."""

import glob
import os
import platform
import shutil
import sys

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build", "dev")))

config.name = "hone"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "onnx", "models", "checks", "tools", "CMakeLists.txt"]
config.test_source_root = here
config.test_exec_root = os.path.join(build, "test", "lit")

# The built tools come first, then LLVM's FileCheck, not, split-file and count.
llvm_bin = "/usr/lib/llvm-22/bin"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_bin, config.environment["PATH"]])
config.environment["HONE_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
for name in ("UBSAN_OPTIONS", "ASAN_OPTIONS", "HONE_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# %python has onnx and numpy; %make-onnx turns ONNX's text format into a .onnx file;
# %npy writes and compares arrays; %inner-loop shows the hot loop of assembly; %refuses and %survives check how tools treat bad input.
tools = os.path.join(here, "tools")
config.substitutions += [
    ("%make-onnx", f"{sys.executable} {os.path.join(tools, 'make_onnx.py')}"),
    ("%run-object", f"{sys.executable} {os.path.join(tools, 'run_object.py')}"),
    ("%on-terminal", f"{sys.executable} {os.path.join(tools, 'on_terminal.py')}"),
    ("%npy", f"{sys.executable} {os.path.join(tools, 'npy.py')}"),
    ("%evaluate", os.path.join(build, "test", "evaluate", "evaluate")),
    ("%inner-loop", f"{sys.executable} {os.path.join(tools, 'inner_loop.py')}"),
    ("%refuses", f"{sys.executable} {os.path.join(tools, 'refuses.py')}"),
    ("%survives", f"{sys.executable} {os.path.join(tools, 'survives.py')}"),
    ("%bad-input", f"{sys.executable} {os.path.join(here, 'errors', 'Inputs', 'bad_input.py')}"),
    # CUDA without a GPU: NVRTC and the driver's library are simulated.
    ("%simulated-cuda", f"env HONE_CACHE_DIR= HONE_NVRTC={build}/test/simulation/libnvrtc.so "
                        f"LD_LIBRARY_PATH={build}/test/unit/runtime-cuda/simulated"),
    ("%python", sys.executable),
    ("%test", here),
    ("%build", build),
]

# Features that a test may REQUIRE: what this machine can execute, and which tools are there.
features = config.available_features
features.add(platform.machine().lower().replace("amd64", "x86_64"))
try:
    with open("/proc/cpuinfo") as info:
        flags = set()
        for line in info:
            if line.startswith(("flags", "Features")):
                flags = set(line.split(":", 1)[1].split())
                break
except OSError:
    flags = set()
for feature, needed in {
    "avx2": {"avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"},
    "avx512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "avx512-vnni": {"avx512_vnni"},
    "neon": {"asimd"},
}.items():
    if needed <= flags:
        features.add(feature)
for feature, program in {"qemu-aarch64": "qemu-aarch64", "spirv-val": "spirv-val"}.items():
    if shutil.which(program):
        features.add(feature)
# NVIDIA's compiler: a wheel in this environment, or the toolkit.
if glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/nvidia/cu*/lib/libnvrtc.so*")) or \
        glob.glob("/usr/local/cuda/lib64/libnvrtc.so*"):
    features.add("nvrtc")
if os.geteuid() == 0:
    features.add("root")
# Sanitized programs reserve terabytes of addresses and are slower: %refuses and %survives want to know.
sanitizers = lit_config.params.get("sanitize", "")
config.environment["HONE_SANITIZE"] = sanitizers
if "address" in sanitizers:
    features.add("asan")
