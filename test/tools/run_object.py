#!/usr/bin/env python3
"""Runs a model that was compiled to an object file, through a C program written for its header.

usage: run_object.py MODEL.o --input FIELD=FILE.npy... --output-dir DIR [--cc=COMMAND] [--runner=COMMAND] [--runs=N]

The header beside the object says what there is. The program is compiled with all warnings as errors, linked
with -lm alone and run; outputs go to DIR/FIELD.npy. The header must also compile as C++. Extents come from the
inputs' shapes; the arena has exactly the size the model asks for.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np

DTYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "u64": "u8",
          "u32": "u4", "u16": "u2", "u8": "u1", "bool": "?", "bf16": "u2"}  # others: one byte
# Library functions that an object may need.
ALLOWED = re.compile(r"mem(cpy|move|set|cmp)|bcmp|(a?(sin|cos|tan)h?|atan2|cbrt|ceil|erfc?|exp(2|m1|10)?|floor|fmod|log(2|10|1p)?"
                     r"|l?rint|l?round|roundeven|pow|sqrt|tgamma|lgamma|trunc|nearbyint|fma|ldexp|sincos)f?"
                     r"|__(extend|trunc)[a-z0-9]+|__powi[sd]f2")

PROGRAM = """
#include "{header}"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *fill(const char *path) {{
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  void *bytes = malloc(size + 64);
  rewind(file);
  if (fread(bytes, 1, size, file) != (size_t)size) exit(3);
  fclose(file);
  return bytes;
}}

static void save(const char *path, const void *bytes, size_t size, const int64_t *shape, size_t rank) {{
  FILE *file = fopen(path, "wb");
  fwrite(bytes, 1, size, file);
  fclose(file);
  printf("%s", path);
  for (size_t i = 0; i < rank; ++i) printf(" %lld", (long long)shape[i]);
  printf("\\n");
}}

int main(void) {{
  {prefix}_inputs in;
  {prefix}_outputs out;
  memset(&in, 0, sizeof(in));
  memset(&out, 0, sizeof(out));
{inputs}
  size_t bytes = {minimum};
  int code = 0;
{sizes}
{outputs}
  char *arena = NULL;
  for (int run = 0; run < {runs};) {{
    /* The bytes behind the arena must stay as they are. */
    arena = realloc(arena, bytes + 192);
    char *start = arena + (64 - (size_t)arena % 64) % 64;
    memset(start, 0x5a, bytes + 64);
    code = {prefix}_run(&in, &out, start, bytes);
    for (int i = 0; i < 64; ++i)
      if (start[bytes + i] != 0x5a) {{ fprintf(stderr, "wrote behind the arena\\n"); return 4; }}
{again}
    if (code) break;
    ++run;
  }}
  if (code) {{ fprintf(stderr, "error: %s\\n", {prefix}_message(code)); return 1; }}
  printf("arena %zu\\n", bytes);
{saves}
  return 0;
}}
"""


def parse_header(text):
    """Fields of both structs: name, element type and extents as the comments say."""
    tensors = {}
    for struct, body in re.findall(r"typedef struct \w+_(inputs|outputs) \{\n(.*?)\n\}", text, re.S):
        fields = re.findall(r"^  (?:const )?\w+ \*(\w+);(?:\n    )? /\* '.*': (\w+) \[(.*)\] \*/$", body, re.M)
        tensors[struct] = {name: (dtype, [d for d in dims.split(", ") if d]) for name, dtype, dims in fields}
        tensors[struct + ".dims"] = re.findall(r"^  int64_t (\w+);", body, re.M)
        tensors[struct + ".dynamic"] = re.findall(r"^  size_t (\w+)_bytes;", body, re.M)
    return tensors


def write_program(header, options):
    text = header.read_text()
    prefix = re.search(r"^int (\w+)_run\(", text, re.M)[1]
    tensors = parse_header(text)
    inputs, dims = [], {}
    for name, (dtype, extents) in tensors["inputs"].items():
        array = np.load(dict(i.split("=", 1) for i in options.input)[name])
        path = options.output_dir / f"{name}.in"
        array.tofile(path)
        inputs.append(f'  in.{name} = fill("{path}");')
        dims.update(zip(extents, array.shape))
    inputs += [f"  in.{name} = {dims[name]};" for name in tensors["inputs.dims"]]
    upper, dynamic = prefix.upper(), tensors["outputs.dynamic"]
    static = f"{upper}_ARENA_BYTES" in text
    has_sizes = f"int {prefix}_sizes(" in text
    outputs, saves, again = [], [], ""
    for name, (_, extents) in tensors["outputs"].items():
        known = name in dynamic
        size = f"out.{name}_bytes" if known else f"{upper}_OUTPUT_{name.upper()}_BYTES"
        outputs.append(f"  out.{name} = malloc({size} + 64);")
        shape = f"out.{name}_shape" if known and extents else "NULL"
        saves.append(f'  save("{options.output_dir / name}.out", out.{name}, {size}, {shape}, {len(extents) if known else 0});')
    if not static and not has_sizes:
        again = f"    if (code == {upper}_ARENA_TOO_SMALL) {{ bytes = out.arena_needed; continue; }}\n"
        again += f"    if (code == {upper}_OUTPUT_TOO_SMALL) {{\n" + "".join(
            f"      out.{name} = realloc(out.{name}, out.{name}_bytes + 64);\n" for name in dynamic) + "      continue;\n    }"
    sizes = f"  code = {prefix}_sizes(&in, &out, &bytes);\n  if (code) {{ fprintf(stderr, \"error: %s\\n\", {prefix}_message(code)); return 1; }}"
    return tensors, PROGRAM.format(
        header=header.name, prefix=prefix, inputs="\n".join(inputs), outputs="\n".join(outputs), runs=options.runs,
        saves="\n".join(saves), again=again, sizes=sizes if has_sizes else "",
        minimum=f"{upper}_ARENA_BYTES" if static else f"{upper}_ARENA_MIN_BYTES")


def check_symbols(obj):
    symbols = subprocess.run(["llvm-nm-22", "-u", obj], capture_output=True, text=True, check=True).stdout.split()
    strange = [s for s in symbols if s != "U" and not ALLOWED.fullmatch(s)]
    if strange:
        sys.exit(f"{obj} needs {', '.join(strange)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("object", type=pathlib.Path)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--output-dir", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--runner", default="")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    options.output_dir.mkdir(parents=True, exist_ok=True)
    header = options.object.with_suffix(".h")
    tensors, program = write_program(header, options)
    source, binary = options.output_dir / "main.c", options.output_dir / "main"
    source.write_text(program)
    compiler, warnings = shlex.split(options.cc), ["-Wall", "-Wextra", "-Werror", f"-I{header.parent}"]
    check_symbols(options.object)
    subprocess.run([*compiler, "-std=c99", "-pedantic", *warnings, source, options.object, "-o", binary, "-lm"], check=True)
    subprocess.run([*compiler, "-x", "c++", "-fsyntax-only", *warnings, header], check=True)
    result = subprocess.run([*shlex.split(options.runner), binary], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        sys.exit(result.returncode)
    lines = result.stdout.splitlines()
    print(lines[0])
    for line, (name, (dtype, dims)) in zip(lines[1:], tensors["outputs"].items()):
        path, *extents = line.split(" ")
        shape = [int(e) for e in extents] if extents else [int(d) for d in dims]
        array = np.fromfile(path, DTYPES.get(dtype, "u1")).reshape(shape)
        np.save(options.output_dir / f"{name}.npy", array)
        print(f"{name} {array.dtype} {'x'.join(map(str, shape)) or 'scalar'}: " + " ".join(f"{v:.6g}" for v in array.ravel()[:8]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
