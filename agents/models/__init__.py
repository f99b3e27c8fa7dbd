"""The one door to language models."""
