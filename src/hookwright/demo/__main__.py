"""`python -m hookwright.demo`: the demo server on standard input and output."""

from hookwright.demo.server import serve

serve()
