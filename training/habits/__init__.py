"""How a trained policy plays, counted over many deals and told to card players."""
