"""PersonaFeedback's protocol: which of two answers suits a person better, and answers written for that person."""
