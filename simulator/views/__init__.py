"""Rendering, and nothing else: records in, rich renderables out."""
