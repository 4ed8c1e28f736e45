"""What the pods of an agent may connect to: settings, the list of destinations that follows from them, checks, and policies."""
