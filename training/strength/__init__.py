"""The strength report: measures what a plan names, and writes the page from what was measured."""
