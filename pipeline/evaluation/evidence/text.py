"""Paragraphs of generated documents."""

import textwrap


def filled(text: str) -> str:
    """Return a paragraph, or an item of a list, in lines of at most 120 characters."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def share(value: float) -> str:
    """Return a share with two decimals, or more if a share above 0 would be shown as 0."""
    return f"{value:.4f}" if 0 < value < 0.01 else f"{value:.2f}"
