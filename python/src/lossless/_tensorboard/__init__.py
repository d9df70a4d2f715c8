"""Event files of TensorBoard: reading, importing and following them."""
