"""Empty: this package is `lossless_hook_always.pth`, which Python runs at its start."""
