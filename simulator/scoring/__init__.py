"""Scoring: whose verdicts are used, what is measured of a dialogue, and what is said of an assistant."""
