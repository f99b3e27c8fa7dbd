"""Personas of other data sets as profiles: one module a format, and one way to write down what they hold."""
