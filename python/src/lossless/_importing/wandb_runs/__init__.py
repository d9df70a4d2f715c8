"""W&B's offline directories and `.wandb` files, read without its package."""
