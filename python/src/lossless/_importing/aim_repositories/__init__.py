"""Aim's repositories, read by the package aim, whose database no other program reads."""
