#!/bin/bash
# Runs a pack that `./dev gpu-pack` made, on a machine with a GPU and without the compiler.
#
# usage: run.sh [--device cuda:0] [--out DIR] [SECTION]...
#
# Sections: cts onnx models bench peers sanitize (default: cts onnx models bench). The summary comes last; whole logs lie
# in DIR. Ends with 1 when something that should pass does not.

set -u
pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda:0
out=$pack/out
sections=()
while (($#)); do
  case $1 in
  --device) device=$2 && shift ;;
  --out) out=$2 && shift ;;
  cts | onnx | models | bench | peers | sanitize) sections+=("$1") ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 2 ;;
  esac
  shift
done
((${#sections[@]})) || sections=(cts onnx models bench)
driver=${device%%:*}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
summary=()
failed=0

# Whether the device is there; says so once.
if ! "$pack/bin/hone-cts" --device="$device" --kernels="$pack/cts" --gtest_filter='Opening.Describes' \
  >"$out/device.log" 2>&1; then
  cat "$out/device.log" && exit 1
fi
if grep -q 'skipped: no device' "$out/device.log"; then
  echo "skipped: $(sed -n 's/.*skipped: no device [^:]*:[0-9]*: //p' "$out/device.log" | head -1)"
  exit 0
fi

note() { # note NAME VERDICT TEXT
  summary+=("$(printf '%-10s %-6s %s' "$1" "$2" "$3")")
  [[ $2 == ok ]] || failed=1
}

run_cts() {
  local log=$out/cts-$driver.log verdict=ok
  timeout 200 "$pack/bin/hone-cts" --device="$device" --kernels="$pack/cts" >"$log" 2>&1 || verdict=FAILED
  grep -E '^\[  FAILED|Failure' -A6 "$log" | head -60
  note cts "$verdict" "$(grep -E '^\[  PASSED|^\[  SKIPPED|^ *[0-9]+ FAILED' "$log" | tr -s '[] ' ' ' | tr '\n' ';')"
}

run_onnx() {
  local jobs=$pack/onnx/jobs-$driver.tar.xz log=$out/onnx-$driver.log verdict=ok
  [[ -f $jobs ]] || { note onnx ok "no cases for $driver in this pack" && return; }
  tar -xJf "$jobs" -C "$work" && tar -xJf "$pack/onnx/cases.tar.xz" -C "$work"
  "$pack/bin/module-runner" --device="$device" --batch="$work/jobs" --limit=20 >"$log" 2>&1
  local expectations=()
  for file in scope "$driver"; do
    [[ -f $pack/onnx/$file.txt ]] && expectations+=(--expectations="$pack/onnx/$file.txt")
  done
  "$pack/bin/onnx-replies" "$work/cases" --read-replies="$work/jobs" --workers=8 --list-failures "${expectations[@]}" \
    >>"$log" 2>&1 || verdict=FAILED
  grep -E '^(FAIL|UNEXPECTED)' "$log" | head -40
  tail -n 8 "$log"
  note onnx "$verdict" "$(tail -n 1 "$log" | tr -s ' ')"
}

run_report() { # run_report SECTION
  local log=$out/$1-$driver.log verdict=ok
  timeout 400 python3 "$pack/report.py" "$1" --pack "$pack" --device "$device" --out "$out" >"$log" 2>&1 || verdict=FAILED
  cat "$log"
  note "$1" "$verdict" "$(tail -n 1 "$log")"
}

run_sanitize() {
  local log=$out/sanitize.log verdict=ok tool
  tool=$(command -v compute-sanitizer) || { note sanitize ok 'compute-sanitizer is not installed' && return; }
  tar -xJf "$pack/models.tar.xz" -C "$work"
  local model
  model=$(find "$work/models" -name "$driver.hone" -size -4M | sort | head -1)
  [[ -n $model ]] || { note sanitize ok 'no small model in this pack' && return; }
  timeout 200 "$tool" --tool memcheck --error-exitcode 9 "$pack/bin/hone-run" run "$model" --device="$device" \
    >"$log" 2>&1 || verdict=FAILED
  tail -n 5 "$log"
  note sanitize "$verdict" "$(grep 'ERROR SUMMARY' "$log")"
}

for section in "${sections[@]}"; do
  started=$SECONDS
  printf '== %s\n' "$section"
  case $section in
  models | bench | peers) run_report "$section" ;;
  *) "run_$section" ;;
  esac
  printf '(%d s)\n' $((SECONDS - started))
done
grep -E "^$driver: " "$out/device.log"
printf '%s\n' "${summary[@]}" | tee "$out/summary-$driver.txt"
exit $failed
