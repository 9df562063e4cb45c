"""Methods that look at the winner alone, as the command line shows them."""


def test_the_table_gives_no_optimism_and_no_sentence_to_report(run, samples):
    out = run.printed(
        "correct",
        samples / "progression.parquet",
        "--metric",
        "accuracy",
        "--method",
        "wilson",
        "--method",
        "t-folds",
    )
    (wilson,) = (line for line in out.splitlines() if line.startswith("  wilson"))
    assert wilson.split() == [
        "wilson", "share,", "ignores", "selection", "0.863", "0.863", "0.770", "to", "0.921"
    ]  # fmt: skip
    assert "\nreport " not in out
    assert "best pooled accuracy and mean over folds of 177" in out
