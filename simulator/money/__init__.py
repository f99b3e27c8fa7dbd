"""Money: what models cost, what a campaign may take, and the budget that ends it."""
