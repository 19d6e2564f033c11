#!/bin/bash
# Runs a pack that `./dev gpu-pack` made, on a machine without this repository's build.
#
# usage: run.sh [--device cuda:0|vulkan:0|cpu] [--target T] [--out DIR] [--jobs N] [SECTION]...
#
# Sections: cts run onnx models zoo sanitize bench (default: cts run onnx models zoo); bench-compile is bench with
# torch.compile beside it. `all` is cts run onnx models zoo sanitize bench-compile and, where the device is another one,
# cts run onnx models zoo on vulkan:0. The summary comes last; whole logs lie in DIR. Ends with 1 when something that
# should pass does not; what cannot run here is `skip`, which is no failure. Needs Python for models, zoo and bench,
# NumPy and onnx for bench.

set -u
pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda:0
target=
out=$pack/out
jobs=$(nproc)
sections=()
everything=
while (($#)); do
  case $1 in
  --device) device=$2 && shift ;;
  --target) target=$2 && shift ;;
  --out) out=$2 && shift ;;
  --jobs) jobs=$2 && shift ;;
  cts | run | onnx | models | zoo | sanitize | bench | bench-compile) sections+=("$1") ;;
  all) everything=1 && sections=(cts run onnx models zoo sanitize bench-compile) ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 2 ;;
  esac
  shift
done
((${#sections[@]})) || sections=(cts run onnx models zoo)
driver=${device%%:*}
mkdir -p "$out"
work=$pack/unpacked
bin=$work/bin
summary=()
failed=0

# What a failed compilation leaves goes where it harms nobody.
export HONE_CACHE_DIR=$work/cache

unpack() { # unpack NAME
  [[ ! -e $work/$1.done ]] || return 0
  [[ -f $pack/$1.tar.xz ]] || return 1
  mkdir -p "$work"
  if command -v xz >/dev/null; then tar -xf "$pack/$1.tar.xz" -C "$work"; else
    python3 -m tarfile -e "$pack/$1.tar.xz" "$work"
  fi && touch "$work/$1.done"
}

unpack programs || { echo "run.sh: error: the pack has no programs" && exit 1; }

# Whether the device is there; says so once.
cts=("$bin/hone-cts" --device="$device" --kernels="$work/cts")
if ! "${cts[@]}" --gtest_filter='Opening.Describes' >"$out/device-$driver.log" 2>&1; then
  cat "$out/device-$driver.log" && exit 1
fi
if grep -q 'skipped: no device' "$out/device-$driver.log"; then
  echo "skipped: $(sed -n 's/.*skipped: no device [^:]*[:0-9]*: //p' "$out/device-$driver.log" | head -1)"
  exit 0
fi

# The most special target that the device runs.
target_here() {
  local capability
  case $driver in
  cpu) grep -qw avx512vl /proc/cpuinfo && grep -qw avx512bw /proc/cpuinfo && echo cpu:avx512 || echo cpu:avx2 ;;
  cuda)
    capability=$(sed -n 's/.*compute capability \([0-9]*\)\.\([0-9]*\).*/\1\2/p' "$out/device-$driver.log" | head -1)
    if ((capability >= 90)); then echo "cuda:sm_${capability}a"; else echo "cuda:sm_$capability"; fi
    ;;
  *) echo "$driver" ;;
  esac
}
target=${target:-$(target_here)}
name=${target//:/-}

note() { # note NAME VERDICT TEXT
  summary+=("$(printf '%-10s %-6s %s' "$1" "$2" "$3")")
  [[ $2 != FAILED ]] || failed=1
}

run_cts() {
  local log=$out/cts-$name.log verdict=ok
  timeout 200 "${cts[@]}" >"$log" 2>&1 || verdict=FAILED
  grep -E '^\[  FAILED|Failure' -A6 "$log" | head -60
  note cts "$verdict" "$(grep -E '^\[  PASSED|^\[  SKIPPED|^ *[0-9]+ FAILED' "$log" | tr -s '[] ' ' ' | tr '\n' ';')"
}

# Every text in a process of its own: a kernel that faults takes no other with it.
run_run() {
  local log=$out/run-$name.log verdict=ok
  unpack texts || { note run skip 'no texts in this pack' && return; }
  (cd "$work" && find texts -name '*.mlir' | sort | xargs -P "$jobs" -I{} sh -c \
    "timeout 300 '$bin/device-tests' evaluate --target=$target {} >{}.log 2>&1; echo \$? >{}.code")
  for text in "$work"/texts/*.mlir; do
    cat "$text.log"
    [[ $(<"$text.code") == 0 ]] || { verdict=FAILED && echo "FAIL $text: ended with $(<"$text.code")"; }
  done >"$log"
  grep -v '^pass ' "$log" | cut -c1-300 | head -60
  note run "$verdict" "$(grep -c '^pass .* on .' "$log") of $(find "$work/texts" -name '*.mlir' | wc -l) texts pass"
}

run_onnx() {
  local log=$out/onnx-$name.log verdict=ok expectations=() file
  unpack cases || { note onnx skip 'no cases in this pack' && return; }
  for file in scope "$driver"; do
    [[ ! -f $work/expectations/$file.txt ]] || expectations+=(--expectations="$work/expectations/$file.txt")
  done
  timeout 560 "$bin/device-tests" onnx-conformance "$work/cases" --target="$target" --device="$device" \
    --workers="$jobs" --limit=60 --list-failures "${expectations[@]}" >"$log" 2>&1 || verdict=FAILED
  grep -E '^(FAIL|UNEXPECTED)' "$log" | cut -c1-260 | head -60
  tail -n 8 "$log"
  note onnx "$verdict" "$(tail -n 1 "$log" | tr -s ' '): passed, expected failures, surprises, total"
}

report() { # report SECTION
  local log=$out/$1-$name.log verdict=ok
  unpack "$1" || { note "$1" skip "no $1 in this pack" && return; }
  timeout 500 python3 "$pack/report.py" "$work/$1" --bin "$bin" --device "$device" --target "$target" --jobs "$jobs" \
    >"$log" 2>&1 || verdict=FAILED
  cat "$log"
  note "$1" "$verdict" "$(tail -n 1 "$log")"
}

run_bench() { # run_bench [OPTION]...
  local log=$out/bench-$name.log verdict=ok
  unpack zoo || { note bench skip 'no networks in this pack' && return; }
  timeout 580 python3 "$pack/bench.py" --bin "$bin" --zoo "$work/writer" --device "$device" --target "$target" \
    --jobs "$((jobs / 2 + 1))" --out "$out" "$@" >"$log" 2>&1 || verdict=FAILED
  cat "$log"
  note bench "$verdict" "$(tail -n 1 "$log")"
}

# Tests that make calls of CUDA fail on purpose, which the tool would report.
failing_calls='*.MissingKernel:*.DamagedHeader:*.CutOff:*.Noise'

sanitized() { # sanitized NAME OPTION... COMMAND...
  local log=$out/$1.log verdict=ok
  timeout 250 compute-sanitizer --error-exitcode 9 "${@:2}" >"$log" 2>&1 || verdict=FAILED
  [[ $verdict == ok ]] || grep -hoE 'Program hit .*|Invalid .*|Race reported.*|[A-Za-z ]*Barrier.*' "$log" | sort | uniq -c
  note "$1" "$verdict" "$(sed -n 's/^=* *\([A-Z]* SUMMARY.*\)/\1/p' "$log" | tail -1)"
}

run_sanitize() {
  [[ $driver == cuda ]] || { note sanitize skip "compute-sanitizer watches CUDA, not $driver" && return; }
  command -v compute-sanitizer >/dev/null || { note sanitize skip 'compute-sanitizer is not installed' && return; }
  local folder=$work/models/ppocr-direction
  sanitized cts-memory --report-api-errors no "${cts[@]}"
  sanitized cts-calls "${cts[@]}" --gtest_filter="-$failing_calls"
  unpack models || { note sanitize skip 'no models in this pack' && return; }
  local network=("$bin/hone-run" run "$folder/sanitize.hone" --device="$device" --input="x=$folder/inputs0_0.npy")
  if "$bin/device-tests" hone compile "$folder/model.onnx" -o "$folder/sanitize.hone" --target="$target"; then
    sanitized network "${network[@]}"
    sanitized network-races --tool racecheck "${network[@]}"
  else
    note network FAILED 'does not compile'
  fi
  # Threads of these tell each other values.
  unpack texts || { note sanitize skip 'no texts in this pack' && return; }
  local text
  for text in reduction composites; do
    sanitized "$text" "$bin/device-tests" evaluate --target="$target" "$work/texts/$text.mlir"
    sanitized "$text-races" --tool racecheck "$bin/device-tests" evaluate --target="$target" "$work/texts/$text.mlir"
  done
}

for section in "${sections[@]}"; do
  started=$SECONDS
  printf '== %s\n' "$section"
  case $section in
  models | zoo) report "$section" ;;
  bench-compile) run_bench --compile ;;
  *) "run_$section" ;;
  esac
  printf '(%d s)\n' $((SECONDS - started))
done
sed -n "s/^.*\($driver: .*\)/\1/p" "$out/device-$driver.log" | head -1
echo "target $target"
printf '%s\n' "${summary[@]}" | tee "$out/summary-$name.txt"
if [[ -n $everything && $driver != vulkan ]]; then
  printf '\n'
  "$pack/run.sh" --device vulkan:0 --out "$out" --jobs "$jobs" || failed=1
fi
exit $failed
