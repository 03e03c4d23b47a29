"""hookwright under fire: faults, load and fuzzing. `make stress` runs all of it; the tests run a sample."""
