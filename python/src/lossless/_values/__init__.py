"""What a script gives, and the form in which it is kept and sent."""
