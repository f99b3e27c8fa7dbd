"""The tests, a folder for each of the four that they mirror. `python -m tests` runs every check."""
