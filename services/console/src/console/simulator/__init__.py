"""A queue and its consumers as a simulation: steered while it runs, stepped by whoever looks at it.

The engine (everything but the page) is pure: no clock, no sockets, no threads. Begin at `simulation.Simulation`;
what it can be told is in `model`, what it tells in `readings`.
"""
