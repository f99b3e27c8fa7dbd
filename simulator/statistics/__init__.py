"""Statistics: intervals, tests, agreement and rankings of what comes in clusters. Pure functions."""
