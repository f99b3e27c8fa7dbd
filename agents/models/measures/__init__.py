"""Measures: local models that tell numbers of a text or two, behind the same door as those that answer."""
