"""What each call sends and how its answers are read, without input and output."""
