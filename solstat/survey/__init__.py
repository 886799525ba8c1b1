"""Surveys: many deals, one game, one budget, kept so that nothing is lost.

============  =====================================================================================
config        what is asked for: a survey's TOML and the flags that override it, checked
plan          the deals of one run, cut into chunks
executors     where chunks are solved: a pool of processes
run           the loop between plan, executor and store, and how it stops: `run.run_survey`
store         the run directory as its one writer sees it
reader        the run directory as everyone else sees it: `reader.open_run`, `status`, `counts`
record        run.json, and what makes two runs the same
parts, rows   the Parquet files: their names (parts), their schema and content (rows)
provenance    what a stranger needs to redo a run
logs          log records of all processes through one
progress      a bar on a terminal, log lines elsewhere
============  =====================================================================================

Only `rows` imports pyarrow when it is loaded, and it is loaded once the workers are forked.
"""
