"""What a machine tells about itself: the node, the training's processes, its accelerators."""
