#!/usr/bin/env bash
# Cross-validate 65 configurations fold by fold; between folds, drop those that can't win any more.
#
#     drop_loop.sh [FOLDER]      the folder for the table; a temporary one when left out
#
# The table of predictions is all there is to keep. PYTHON is the interpreter that has bbccli and
# scikit-learn.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
python=${PYTHON:-python3}
table=$folder/partial.csv

: > "$folder/dropped.txt"
for fold in 0 1 2 3 4; do
  "$python" "$here/drop_loop.py" "$table" "$fold" --skip "$folder/dropped.txt"
  "$python" -m bbccli drop "$table" --metric accuracy --n-folds 5 --list drop --quiet \
    > "$folder/dropped.txt"
  echo "fold $fold: $(wc -l < "$folder/dropped.txt") configurations are out"
done
"$python" -m bbccli drop "$table" --metric accuracy --n-folds 5
