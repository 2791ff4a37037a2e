"""Compactions in the files and requests of other tools: one finder per client, each gives a `Chronicle`."""
