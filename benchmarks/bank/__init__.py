"""The bank: studies with training on tables whose other rows tell the truth.

1. `populations`: tables that packages ship, half of them for development and half untouched.
2. `studies`: draw N rows, cross-validate some 300 configurations, train them on all N rows, and
   score those on other rows: the truth. Matrices are kept in a cache that is not committed.
3. `judging`: every method with every interval and level on the matrices of nested searches.
4. `results`: their results, in Parquet files that are committed, so that repetitions add up.
5. `figures` and `pages`: tables of docs/validation.md and benchmarks/validation-tables.md.

`python -m benchmarks.bank --help` runs any of these.
"""
