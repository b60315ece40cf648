"""Adapters to other libraries, each behind an extra of its own and imported by itself."""
