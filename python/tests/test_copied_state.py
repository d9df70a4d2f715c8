"""Copies of PyTorch states: shared stays shared, different stays different, the original stays."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import unittest
from collections import OrderedDict, UserDict
from collections.abc import Iterator, MutableMapping
from importlib.util import find_spec
from typing import Any

from fake_torch import Placement, Shard, Tensor, Torch
from service import ROOT

from lossless._saving.copied_state import copied_state, is_sharded


class Plain(MutableMapping[str, Any]):
    """A container without __copy__: a shallow copy shares its content."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.content[key] = value

    def __delitem__(self, key: str) -> None:
        del self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


class Copies(unittest.TestCase):
    def test_shared_tensors_stay_one(self) -> None:
        shared = Tensor([1.0, 2.0])
        other = Tensor(shared.values)
        copied = copied_state({"a": shared, "b": [shared, other, (3, "x", None)]}, Torch)
        self.assertIs(copied["a"], copied["b"][0])
        self.assertIs(copied["a"], copied["b"][1])
        self.assertIsNot(shared, copied["a"])
        self.assertEqual((3, "x", None), copied["b"][2])

    def test_tensors_without_an_address_are_not_taken_for_each_other(self) -> None:
        first, second = Shard([1.0, 1.0]), Shard([2.0, 2.0])
        copied = copied_state([first, second, first], Torch)
        self.assertEqual([[1.0, 1.0], [2.0, 2.0]], [each.values for each in copied[:2]])
        self.assertIs(copied[0], copied[2])

    def test_tensors_that_end_while_others_are_copied(self) -> None:
        """A mapping makes tensors when it is asked: each may get the memory of the one before."""

        class Made(Plain):
            def __getitem__(self, key: str) -> Any:
                return Shard([float(self.content[key])] * 2)

        copied = copied_state(Made({str(number): number for number in range(50)}), Torch)
        self.assertEqual([float(number) for number in range(50)], [each.values[0] for each in copied.values()])

    def test_a_view_that_is_read_in_another_way_is_another_tensor(self) -> None:
        values = [1.0, 2.0]
        plain, conjugate = copied_state([Tensor(values), Tensor(values, is_conj=True)], Torch)
        self.assertEqual((False, True), (plain.is_conj(), conjugate.is_conj()))

    def test_mappings_of_the_training_are_not_written_into(self) -> None:
        weights = Tensor([1.0, 2.0])
        for mapping in (Plain({"w": weights}), UserDict({"w": weights}), OrderedDict({"w": weights}), {"w": weights}):
            copied = copied_state(mapping, Torch)
            self.assertIs(weights, mapping["w"], type(mapping))
            self.assertIsNot(weights, copied["w"], type(mapping))
        ordered: Any = OrderedDict({"w": weights})
        ordered._metadata = {"version": 1}
        copied = copied_state(ordered, Torch)
        self.assertEqual((OrderedDict, {"version": 1}), (type(copied), copied._metadata))

    def test_parts_are_known(self) -> None:
        shard = Shard([1.0])
        self.assertFalse(is_sharded({"a": [Tensor([1.0]), 3, None]}))
        shard.placements = (Placement(True),)
        self.assertFalse(is_sharded([shard]))
        shard.placements = (Placement(True), Placement(False))
        self.assertTrue(is_sharded({"model": {"w": shard}}))


@unittest.skipUnless(find_spec("torch"), "torch is not installed: no real state is copied here")
class WithTorch(unittest.TestCase):
    def test_fully_sharded_layers_of_equal_shape(self) -> None:
        self._run("""
            import os, tempfile, torch
            import torch.distributed as dist
            from torch.distributed.device_mesh import init_device_mesh
            from torch.distributed.fsdp import fully_shard
            store = dist.FileStore(tempfile.mktemp(), 1)
            dist.init_process_group("gloo", rank=0, world_size=1, store=store)
            net = torch.nn.Sequential(*[torch.nn.Linear(4, 4, bias=False) for _ in range(3)])
            fully_shard(net, mesh=init_device_mesh("cpu", (1,)))
            from lossless._saving.copied_state import copied_state, is_sharded
            state = net.state_dict()
            assert is_sharded({"model": state})
            copied = copied_state({"model": state}, torch)["model"]
            for name, tensor in state.items():
                assert torch.equal(tensor.full_tensor(), copied[name].full_tensor()), name
            dist.destroy_process_group()
        """)

    def test_conjugates_views_sparse_and_tied(self) -> None:
        self._run("""
            import torch
            from lossless._saving.copied_state import copied_state
            x = torch.tensor([1 + 2j, 3 - 4j])
            n = x.conj().imag
            s = torch.eye(3).to_sparse()
            t = torch.nn.Parameter(torch.ones(3))
            meta = [torch.empty(3, device="meta"), torch.empty(4, device="meta")]
            state = {"x": x, "c": x.conj(), "n": n, "i": x.imag, "s": s, "t": t, "again": t, "view": t.data, "e": torch.ones(0)}
            copied = copied_state(state, torch)
            for name, tensor in state.items():
                assert torch.equal(tensor.to_dense().resolve_conj(), copied[name].to_dense().resolve_conj()), name
            assert copied["t"] is copied["again"] is copied["view"]
            t.data.zero_()
            assert copied["t"].sum() == 3
        """)

    def _run(self, script: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python/src")}
        words = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
        result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(0, result.returncode, result.stderr)


if __name__ == "__main__":
    unittest.main()
