"""The columns of the grid: definitions, and one module for each group of columns."""
