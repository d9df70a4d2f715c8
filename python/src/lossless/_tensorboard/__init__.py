"""TensorBoard event files: reading, importing and following them."""
