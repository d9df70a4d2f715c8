"""Values from scripts, and the form in which they are kept and sent."""
