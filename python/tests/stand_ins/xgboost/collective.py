def get_rank() -> int:
    return 0
