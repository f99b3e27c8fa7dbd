"""PersonaLens's protocol: conditions of what an assistant is told, four metrics by one call each."""
