"""The agenda-based user: no model; it hears what the assistant says and follows its aims, its facts and its tastes."""
