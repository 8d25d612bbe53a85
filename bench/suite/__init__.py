"""`kumihimo bench`: campaigns of launches of bench/measure's program, their summary, records, comparison and report."""
