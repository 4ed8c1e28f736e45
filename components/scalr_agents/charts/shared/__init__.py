"""Code that several charts share."""
