"""Speed, run from a checkout: `python -m benchmarks.throughput`."""
