"""SwanLab's runs on this machine, read without its package."""
