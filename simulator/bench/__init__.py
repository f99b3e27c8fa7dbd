"""Benches: the protocols of papers over data that the user brings, asked question by question."""
