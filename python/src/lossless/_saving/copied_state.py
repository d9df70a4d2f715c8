"""Copies of PyTorch states in CPU memory, independent of the training."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from .._ground.signal_handlers import is_of_signal_handler


def copied_state(state: Any, torch: Any) -> Any:
    """Copies a state to the CPU; a tensor that occurs twice is copied once."""
    return _Copying(torch).copied(state)


def is_sharded(state: Any) -> bool:
    """Whether it has tensors of which this process holds only a part, as with FSDP."""
    if isinstance(state, Mapping):
        return any(is_sharded(each) for each in state.values())
    if type(state) in (list, tuple):
        return any(is_sharded(each) for each in state)
    # DTensor, and ShardedTensor of the older FSDP.
    placements = getattr(state, "placements", None)
    if isinstance(placements, tuple) and hasattr(state, "full_tensor"):
        return not all(each.is_replicate() for each in placements)
    return hasattr(state, "local_shards")


class _Copying:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        parameter = getattr(getattr(torch, "nn", None), "Parameter", torch.Tensor)
        self._plain = (torch.Tensor, parameter)
        # The original is kept with its copy: while it lives, no other object gets its address or
        # id.
        self._tensors: dict[Any, tuple[Any, Any]] = {}

    def copied(self, value: Any) -> Any:
        if isinstance(value, self._torch.Tensor):
            return self._tensor(value)
        if isinstance(value, Mapping) and hasattr(value, "items"):
            return self._mapping(value)
        kind: Any = type(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return kind(*map(self.copied, value))
        if kind in (list, tuple, set):
            return kind(map(self.copied, value))
        if value is None or isinstance(value, (str, bytes, bool, int, float)):
            return value
        try:
            return copy.deepcopy(value)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            # A value that cannot be copied is written with its later content.
            return value

    def _mapping(self, value: Any) -> Any:
        items = {key: self.copied(each) for key, each in value.items()}
        if type(value) is dict or not isinstance(value, dict):
            # The copy of another kind of mapping may share its content with the original.
            return items
        # A state dict of PyTorch is an OrderedDict with an attribute of its own.
        same = copy.copy(value)
        if same is value:
            return items
        same.update(items)
        return same

    def _tensor(self, tensor: Any) -> Any:
        key = self._key(tensor)
        if key not in self._tensors:
            self._tensors[key] = (tensor, tensor.detach().to("cpu", copy=True))
        return self._tensors[key][1]

    def _key(self, tensor: Any) -> Any:
        """
        Identifies the memory of a tensor, so that tied weights stay tied. Tensors without an
        address of their own are identified as objects: sparse ones, and kinds that wrap tensors (a
        DTensor's address is 0).
        """
        if type(tensor) in self._plain:
            try:
                address = tensor.data_ptr()
                seen_as = (tensor.is_conj(), tensor.is_neg())
                if address != 0 and tensor.numel() > 0:
                    return (tensor.device, address, tensor.shape, tensor.stride(), tensor.dtype, seen_as)
            except Exception as error:
                if is_of_signal_handler(error):
                    raise
        return id(tensor)
