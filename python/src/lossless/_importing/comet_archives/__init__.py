"""Comet's offline archives: a zip file each."""
