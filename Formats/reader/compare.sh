#!/usr/bin/env bash
# Compares what `varve dump` prints with what the independent reader prints, byte for byte, for the
# golden files, for files given as arguments, and for thousands of damaged variants of them.
#
#   VARVE_BIN              the program to compare with; the built one when not set
#   VARVE_COMPARE_VARIANTS damaged variants of each file, about
#   VARVE_COMPARE_SEED     another number damages other places
#   VARVE_COMPARE_KEEP     a folder for files that are read differently
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
export PYTHONDONTWRITEBYTECODE=1

# A release build is preferred: it reads the same and faster.
find_varve() {
  local configuration folder
  for configuration in release debug; do
    folder=$(swift build --package-path "$root" -c "$configuration" --show-bin-path)
    if [[ -x $folder/varve ]]; then
      echo "$folder/varve"
      return
    fi
  done
  echo "no varve is built; run swift build or set VARVE_BIN" >&2
  return 1
}

varve=${VARVE_BIN:-$(find_varve)}
shopt -s nullglob
golden=("$here"/../Golden/*/*.vlog "$here"/../Golden/*/*.vbase "$here"/../Golden/*/super*)
options=(--varve "$varve" --variants "${VARVE_COMPARE_VARIANTS:-600}" --seed "${VARVE_COMPARE_SEED:-1}")
if [[ -n ${VARVE_COMPARE_KEEP-} ]]; then options+=(--keep "$VARVE_COMPARE_KEEP"); fi
exec python3 "$here/compare.py" "${options[@]}" "${golden[@]}" "$@"
