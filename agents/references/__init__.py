"""The reference assistants, which make the scale: what they know, choose, do and say."""
