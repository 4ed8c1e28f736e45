"""Parts of objects that several charts share."""
