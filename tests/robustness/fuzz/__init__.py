"""A mutation fuzzer: logs that no agent wrote, put to the product, and judged by properties that know nothing of it.

    python -m tests.robustness.fuzz --trials 100000 --seed 7 --jobs 2 --into FOLDER
    python -m tests.robustness.fuzz --seed 7 --trial 123

A *seed log* (`seeds`) is changed by *mutations* (`mutations` has the table of them) into a *trial* (`trial`), which its
two numbers reproduce. The commands are asked about it (`asking`), and every *property* (`properties` has the table)
looks at what they said and left on disk. A failure is known by its property and its place; `smaller` finds a smaller
log that fails in the same way.
"""
