"""Reproduction: the paper's figures and findings with today's code."""
