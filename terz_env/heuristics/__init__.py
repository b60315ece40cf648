"""Rule players as kernels: their choices, and deals played out by them."""
