"""Duologue: simulated people talk to an assistant, a judge scores what was said.

The whole flow reads in this order: `cli`, `campaign`, `dialogue`, then `agents.user`,
`agents.assistant` and `agents.models`. Importing this package does nothing.
"""
