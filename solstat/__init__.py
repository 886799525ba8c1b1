"""Solitaire winnability: surveys of deals, each verdict one that can be checked."""

__version__ = "0.1.0"
