#!/usr/bin/env python3
"""Writes the image of a CUDA executable (runtime/format/CudaImage.h) for the drivers' tests.

usage: cuda_image.py OUT.image FORM...

A FORM is sm_90a=FILE.cubin, compute_80=FILE.ptx, or either with a .cu file, which NVRTC compiles.
"""

import ctypes
import pathlib
import re
import struct
import sys
import sysconfig

# A program needs no header: what the kernels use is built in.
OPTIONS = ("--std=c++17",)


def libraries():
    """Where NVRTC may be: NVIDIA's Python wheels, then a toolkit, the newest first."""
    packages = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    yield from sorted(packages.glob("*/lib/libnvrtc.so.*"), reverse=True)
    for toolkit in sorted(pathlib.Path("/usr/local").glob("cuda*"), reverse=True):
        for folder in ("lib64", "lib"):
            yield from sorted((toolkit / folder).glob("libnvrtc.so.*"), reverse=True)


def load_nvrtc():
    for path in libraries():
        if ".alt." in path.name:
            continue
        # NVRTC looks for its other half by name, which finds it only when it is there already.
        for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        return ctypes.CDLL(str(path))
    sys.exit("cuda_image.py: error: NVRTC is not installed")


def compile_source(path, architecture):
    nvrtc = load_nvrtc()
    program = ctypes.c_void_p()
    kind = b"CUBIN" if architecture.startswith("sm_") else b"PTX"

    def call(name, *arguments):
        return getattr(nvrtc, "nvrtc" + name)(*arguments)

    def text(size_name, name):
        size = ctypes.c_size_t()
        call(size_name, program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        call(name, program, buffer)
        return buffer.raw

    call("CreateProgram", ctypes.byref(program), path.read_bytes(), path.name.encode(), 0, None, None)
    options = [f"--gpu-architecture={architecture}".encode(), *(option.encode() for option in OPTIONS)]
    if call("CompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options)):
        sys.exit(text("GetProgramLogSize", "GetProgramLog").decode())
    return text(f"Get{kind.decode()}Size", f"Get{kind.decode()}")


def read_form(form):
    """(kind, architecture, suffix, code) of one argument."""
    architecture, _, path = form.partition("=")
    match = re.fullmatch(r"(sm|compute)_(\d+)([af]?)", architecture)
    if not match or not path:
        sys.exit(__doc__)
    path = pathlib.Path(path)
    code = compile_source(path, architecture) if path.suffix == ".cu" else path.read_bytes()
    if match[1] == "compute" and not code.endswith(b"\0"):
        code += b"\0"
    return 1 if match[1] == "sm" else 2, int(match[2]), ord(match[3] or "\0"), code


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    forms = [read_form(form) for form in sys.argv[2:]]
    head, body = struct.pack("<8sII", b"HONECUDA", 1, len(forms)), b""
    start = (16 + 32 * len(forms) + 63) // 64 * 64
    for kind, architecture, suffix, code in forms:
        head += struct.pack("<IIIIQQ", 0, kind, architecture, suffix, start + len(body), len(code))
        body += code + bytes(-len(code) % 64)
    pathlib.Path(sys.argv[1]).write_bytes(head.ljust(start, b"\0") + body)


if __name__ == "__main__":
    main()
