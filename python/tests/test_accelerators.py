"""Accelerators: each vendor's program is read, its odd answers too, and none delays others."""

from __future__ import annotations

import os
import threading
import time
import unittest
from unittest import mock

from vendor_programs import WithPrograms

from lossless._sending.machine.amd import Amd
from lossless._sending.machine.apple import Apple
from lossless._sending.machine.ascend import Ascend, chips_in
from lossless._sending.machine.growth import Growth
from lossless._sending.machine.habana import Habana
from lossless._sending.machine.intel import Intel, IntelDrivers, cards_in
from lossless._sending.machine.machine import accelerators
from lossless._sending.machine.numbers import number_of
from lossless._sending.machine.nvidia import Nvidia
from lossless._sending.machine.programs import ProgramFailed, SlowReader, answer_of
from lossless._sending.machine.tpu import Tpu
from lossless._sending.machine.visible import Card, visible, visible_count

_MIB = 2**20


class Clock:
    """Two seconds pass between one sample and the next."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class NvidiaCards(WithPrograms):
    def test_all_that_it_tells(self) -> None:
        clock = Clock()
        nvidia = Nvidia(self.double("nvidia-smi"))
        nvidia._growth = Growth(clock)
        nvidia.read()
        double = self.bin / "nvidia-smi"
        text = double.read_text().replace("Tx: 1000 KiB", "Tx: 3000 KiB").replace("Rx: 12 KiB", "Rx: 24 KiB")
        double.write_text(text)
        clock.now = 2.0
        values = nvidia.read()
        self.assertEqual(
            {
                "utilization_percent": 97.0,
                "memory_busy_percent": 61.0,
                "temperature_celsius": 64.0,
                "memory_temperature_celsius": 72.0,
                "power_watts": 612.45,
                "power_limit_watts": 700.0,
                "clock_megahertz": 1980.0,
                "memory_clock_megahertz": 2619.0,
                "ecc_corrected_errors": 3.0,
                "ecc_uncorrected_errors": 0.0,
                "memory_used_bytes": 41012.0 * _MIB,
                "memory_percent": 100 * 41012 / 81559,
                "throttled_by_power": 1.0,
                "throttled_by_heat": 0.0,
                "throttled_by_hardware": 0.0,
                "pcie_received_bytes_per_second": 20000 * 1024.0,
                "pcie_sent_bytes_per_second": 1500 * 1024.0,
                "nvlink_sent_bytes_per_second": 2000 * 1024 / 2,
                "nvlink_received_bytes_per_second": 12 * 1024 / 2,
            },
            of_card(values, "0"),
        )
        divided = of_card(values, "1")
        self.assertNotIn("utilization_percent", divided, "a divided card does not tell it")
        self.assertEqual(998.0 * _MIB, divided["mig/0/memory_used_bytes"])
        self.assertNotIn("mig/1/memory_used_bytes", divided)
        small = of_card(values, "2")
        self.assertEqual((35.0, 43.0), (small["utilization_percent"], small["fan_percent"]))
        self.assertEqual((1.0, 1.0), (small["throttled_by_heat"], small["throttled_by_hardware"]))
        self.assertFalse({"power_watts", "power_limit_watts", "ecc_corrected_errors"} & set(small))
        self.assertEqual({"0", "1", "2"}, {name.split("/")[0] for name in values}, "the dead one is left out")

    def test_a_field_that_the_driver_does_not_know(self) -> None:
        """A driver from before 535: its reasons have another name, and it has no memory sensor."""
        double = self.double("nvidia-smi")
        path = self.bin / "nvidia-smi"
        text = path.read_text().replace("clocks_event_reasons", "clocks_throttle_reasons")
        path.write_text(text.replace('    "temperature.memory": ("72", "41", "N/A"),\n', ""))
        values = of_card(Nvidia(double).read(), "0")
        self.assertEqual((1.0, 97.0), (values["throttled_by_power"], values["utilization_percent"]))
        self.assertNotIn("memory_temperature_celsius", values)

    def test_questions_that_bring_nothing_are_not_asked_again(self) -> None:
        calls = self.calls(
            "nvidia-smi", 'case "$1" in --query*) echo "0, GPU-1, 1, 2, N/A, 0x0, 5" ;; *) exit 6 ;; esac'
        )
        nvidia = Nvidia(str(self.bin / "nvidia-smi"))
        nvidia._fields = [
            "index",
            "uuid",
            "memory.used",
            "memory.total",
            "mig.mode.current",
            "clocks_event_reasons.active",
        ]
        nvidia._fields.append("utilization.gpu")
        self.assertEqual(5.0, nvidia.read()["0/utilization_percent"])
        self.assertEqual(3, calls())
        nvidia.read()
        self.assertEqual(4, calls())

    def test_cards_of_others(self) -> None:
        nvidia = Nvidia(self.double("nvidia-smi"))
        for variable, cards in (
            ("0", {"0"}),
            ("2,0", {"0", "2"}),
            ("", set()),
            ("-1", set()),
            ("NoDevFiles", set()),
            ("2,-1,0", {"2"}),
            ("GPU-2c8e5d30", {"2"}),
            ("MIG-GPU-1b7d4c2f-6a5e-1111-2222-9b4f5d7a1c01/1/0", {"1"}),
            ("MIG-41b35f9e-5d8c-5b1f-8f6a-000000000000", {"1"}),
            ("7", set()),
        ):
            with self.subTest(variable), mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=variable):
                self.assertEqual(cards, {name.split("/")[0] for name in nvidia.read()})


class AmdCards(WithPrograms):
    def test_amd_smi(self) -> None:
        amd = Amd(self.double("amd-smi"), None)
        values = amd.read()
        self.assertEqual(
            {
                "utilization_percent": 96.0,
                "memory_busy_percent": 41.0,
                "temperature_celsius": 68.0,
                "memory_temperature_celsius": 55.0,
                "power_watts": 612.0,
                "power_limit_watts": 700.0,
                "clock_megahertz": 2100.0,
                "memory_clock_megahertz": 1300.0,
                "ecc_corrected_errors": 2.0,
                "ecc_uncorrected_errors": 0.0,
                "memory_used_bytes": 98296.0 * _MIB,
                "memory_percent": 50.0,
                "throttled_by_power": 1.0,
                "throttled_by_heat": 0.0,
            },
            of_card(values, "0"),
        )
        self.assertEqual(
            {
                "utilization_percent": 5.0,
                "temperature_celsius": 44.0,
                "power_watts": 22.0,
                "power_limit_watts": 300.0,
                "fan_percent": 38.82,
                "memory_used_bytes": 26.0 * _MIB,
                "memory_percent": 100 * 26 / 20464,
                "throttled_by_hardware": 0.0,
                "pcie_sent_bytes_per_second": 3.0 * _MIB,
                "pcie_received_bytes_per_second": 0.0,
            },
            of_card(values, "1"),
        )
        self.assertEqual({}, of_card(values, "2"))

    def test_amd_smi_before_units(self) -> None:
        program = self.printing(
            "amd-smi",
            """[{"gpu": 0, "usage": {"gfx_usage": 40, "mem_activity": 7}, "power": {"average_socket_power": 120},
            "temperature": {"edge": 50, "junction": 61, "vram": 48}, "mem_usage": {"total_vram": 1000, "used_vram": 250}}]""",
        )
        values = of_card(Amd(program, None).read(), "0")
        self.assertEqual(
            (40.0, 7.0, 120.0, 61.0, 48.0, 25.0),
            tuple(
                values[name]
                for name in (
                    "utilization_percent",
                    "memory_busy_percent",
                    "power_watts",
                    "temperature_celsius",
                    "memory_temperature_celsius",
                    "memory_percent",
                )
            ),
        )

    def test_rocm_smi_where_amd_smi_fails(self) -> None:
        calls = self.calls("amd-smi", "echo 'Error code: -10'; exit 255")
        amd = Amd(str(self.bin / "amd-smi"), self.double("rocm-smi"))
        values = amd.read()
        amd.read()
        self.assertEqual(1, calls(), "what failed is not asked again")
        self.assertEqual(
            {
                "utilization_percent": 18.0,
                "temperature_celsius": 74.0,
                "memory_temperature_celsius": 70.0,
                "power_watts": 87.0,
                "power_limit_watts": 339.0,
                "clock_megahertz": 2371.0,
                "memory_clock_megahertz": 1249.0,
                "fan_percent": 42.0,
                "memory_used_bytes": 2575302656.0,
                "memory_percent": 100 * 2575302656 / 25753026560,
            },
            of_card(values, "0"),
        )
        self.assertEqual((50.0, 9.215), tuple(values[f"1/{name}"] for name in ("temperature_celsius", "power_watts")))
        self.environment(ROCR_VISIBLE_DEVICES="GPU-1dfe0b24d6ae1f9c")
        self.assertEqual({"0"}, {name.split("/")[0] for name in amd.read()})

    def test_hip_counts_within_what_rocr_shows(self) -> None:
        amd = Amd(self.double("amd-smi"), None)
        for variables, card in (
            ({"ROCR_VISIBLE_DEVICES": "1,0", "HIP_VISIBLE_DEVICES": "0"}, "1"),
            ({"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "1"}, "0"),
            ({"CUDA_VISIBLE_DEVICES": "1"}, "1"),
        ):
            with self.subTest(variables), mock.patch.dict(os.environ, variables):
                self.assertEqual({card}, {name.split("/")[0] for name in amd.read()})


class OtherCards(WithPrograms):
    def test_ascend(self) -> None:
        ascend = Ascend(self.double("npu-smi"))
        values = ascend.read()
        self.assertEqual(
            {
                "utilization_percent": 7.0,
                "power_watts": 211.3,
                "temperature_celsius": 43.0,
                "memory_used_bytes": 32768.0 * _MIB,
                "memory_percent": 50.0,
            },
            of_card(values, "0"),
        )
        second = of_card(values, "1")
        self.assertNotIn("power_watts", second, "of both chips the first has it")
        self.assertEqual((12.0, 44.0), (second["utilization_percent"], second["temperature_celsius"]))
        self.environment(ASCEND_RT_VISIBLE_DEVICES="2")
        self.assertEqual({"2"}, {name.split("/")[0] for name in ascend.read()})

    def test_older_tables_of_ascend(self) -> None:
        """A 910B with one chip an NPU, and a 310P without HBM."""
        self.assertEqual(
            [
                {
                    "utilization_percent": 0.0,
                    "power_watts": 86.0,
                    "temperature_celsius": 40.0,
                    "memory_used_bytes": 2828.0 * _MIB,
                    "memory_percent": 100 * 2828 / 32768,
                }
            ],
            chips_in(
                "| NPU   Name      | Health | Power(W)    Temp(C)    Hugepages-Usage(page)|\n"
                "| Chip            | Bus-Id | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB) |\n"
                "| 6     910B4     | OK            | 86.0        40                0    / 0      |\n"
                "| 0               | 0000:00:00.0  | 0           0    / 0          2828 / 32768  |\n"
            ),
        )
        self.assertEqual(
            [
                {
                    "utilization_percent": 3.0,
                    "temperature_celsius": 47.0,
                    "memory_used_bytes": 1000.0 * _MIB,
                    "memory_percent": 100 * 1000 / 21534,
                }
            ],
            chips_in(
                "| 1     310P3     | OK            | NA          47                0     / 0      |\n"
                "| 0     0         | 0000:01:00.0  | 3           1000 / 21534                     |\n"
            ),
        )

    def test_intel(self) -> None:
        intel = Intel(self.double("xpu-smi"))
        values = intel.read()
        self.assertEqual(
            {
                "utilization_percent": 88.2,
                "power_watts": 271.1,
                "clock_megahertz": 1600.0,
                "temperature_celsius": 61.0,
                "memory_percent": 12.5,
                "memory_busy_percent": 40.0,
                "memory_used_bytes": 6400.0 * _MIB,
                "pcie_received_bytes_per_second": 1_500_000.0,
                "pcie_sent_bytes_per_second": 20_000.0,
            },
            of_card(values, "0"),
        )
        self.assertNotIn("1/pcie_sent_bytes_per_second", values)
        self.environment(ZE_AFFINITY_MASK="1.0,1.1")
        self.assertEqual({"1"}, {name.split("/")[0] for name in intel.read()})

    def test_intel_of_version_2(self) -> None:
        program = self.program(
            "xpu-smi",
            """
            case "$*" in *"--number 2"*) ;; *) echo 'The following arguments were not expected: -n'; exit 1 ;; esac
            echo 'Timestamp,DeviceId,utilization.gpu (%),power.draw (W),memory.used (MiB),pcie.rx.throughput.kbs (kB/s)'
            echo '10:00:01.000,0,45.0,120.5,4096.0,7'
            """,
        )
        self.assertEqual(
            {
                "0/utilization_percent": 45.0,
                "0/power_watts": 120.5,
                "0/memory_used_bytes": 4096.0 * _MIB,
                "0/pcie_received_bytes_per_second": 7000.0,
            },
            Intel(program).read(),
        )
        self.assertEqual({}, cards_in("Error: Level Zero Initialization Error\n"))

    def test_drivers_of_intel(self) -> None:
        """One card with xe, one with i915, and one of another maker."""
        drm = self.bin / "sys" / "class" / "drm"
        files = {
            "card0/device/vendor": "0x8086",
            "card0/device/tile0/gt0/freq0/act_freq": "1900",
            "card0/device/tile0/gt0/gtidle/idle_residency_ms": "1000",
            "card0/device/hwmon/hwmon3/temp2_input": "61000",
            "card0/device/hwmon/hwmon3/energy1_input": "5000000",
            "card0/device/hwmon/hwmon3/power1_max": "190000000",
            "card1/device/vendor": "0x10de",
            "card2/device/vendor": "0x8086",
            "card2/gt_act_freq_mhz": "300",
            "card2-DP-1/status": "connected",
        }
        for name, text in files.items():
            (drm / name).parent.mkdir(parents=True, exist_ok=True)
            (drm / name).write_text(text + "\n")
        clock = Clock()
        drivers = IntelDrivers(self.bin / "sys")
        drivers._growth = Growth(clock)
        self.assertTrue(drivers.is_there())
        drivers.read()
        clock.now = 2.0
        (drm / "card0/device/tile0/gt0/gtidle/idle_residency_ms").write_text("1500")
        (drm / "card0/device/hwmon/hwmon3/energy1_input").write_text("65000000")
        self.assertEqual(
            {
                "0/clock_megahertz": 1900.0,
                "0/temperature_celsius": 61.0,
                "0/power_limit_watts": 190.0,
                "0/power_watts": 30.0,
                "0/awake_percent": 75.0,
                "1/clock_megahertz": 300.0,
            },
            drivers.read(),
        )

    def test_habana(self) -> None:
        habana = Habana(self.double("hl-smi"))
        self.assertEqual(
            {
                "utilization_percent": 91.0,
                "memory_used_bytes": 65536.0 * _MIB,
                "memory_percent": 50.0,
                "temperature_celsius": 58.0,
                "power_watts": 626.0,
            },
            of_card(habana.read(), "0"),
        )
        for variable, value, card in (("HABANA_VISIBLE_MODULES", "5", "0"), ("HABANA_VISIBLE_DEVICES", "1", "1")):
            with self.subTest(variable), mock.patch.dict(os.environ, {variable: value}):
                self.assertEqual({card}, {name.split("/")[0] for name in habana.read()})

    def test_tpu(self) -> None:
        """Chips are counted from 0 on each host; lines are drawn with several characters."""
        expected = {
            "0/memory_used_bytes": 16.0 * 2**30,
            "0/memory_percent": 50.0,
            "0/utilization_percent": 100.0,
            "0/tensor_core_percent": 13.6,
            "1/memory_used_bytes": 8.0 * 2**30,
            "1/memory_percent": 25.0,
            "1/tensor_core_percent": 14.8,
        }
        double = self.double("tpu-info")
        self.assertEqual(expected, Tpu(double).read())
        path = self.bin / "tpu-info"
        path.write_text(path.read_text().replace("│", "|").replace("┃", "|"))
        self.assertEqual(expected, Tpu(double).read())
        path.write_text(
            path.read_text().replace("16.00 GiB / 32.00 GiB", "N/A").replace("100.00%", "N/A").replace("13.60%", "N/A")
        )
        self.assertEqual({"1"}, {name.split("/")[0] for name in Tpu(double).read()}, "each chip keeps its number")

    def test_tpu_that_no_process_uses(self) -> None:
        program = self.printing("tpu-info", "TPU Runtime Utilization\nWARNING: Libtpu metrics unavailable.")
        with self.assertRaises(ProgramFailed):
            Tpu(program).read()

    def test_apple(self) -> None:
        self.assertEqual(
            {"0/utilization_percent": 37.0, "0/memory_used_bytes": 805306368.0}, Apple(self.double("ioreg")).read()
        )


class Families(WithPrograms):
    def names(self) -> set[str]:
        values: dict[str, float] = {}
        for read in accelerators(self.bin):
            values.update(read())
        return {name.rpartition("/")[0] for name in values}

    def test_each_has_a_place_of_its_own(self) -> None:
        self.assertEqual(set(), self.names())
        for name in ("amd-smi", "npu-smi", "hl-smi", "tpu-info"):
            self.double(name)
        self.assertEqual(
            {"gpu/0", "gpu/1", "npu/0", "npu/1", "npu/2", "hpu/0", "hpu/1", "tpu/0", "tpu/1"}, self.names()
        )
        self.double("nvidia-smi")
        self.double("xpu-smi")
        found = {name for name in self.names() if name.startswith("gpu/")}
        self.assertEqual(
            {"gpu/0", "gpu/1", "gpu/1/mig/0", "gpu/2", "gpu/amd0", "gpu/amd1", "gpu/intel0", "gpu/intel1"}, found
        )


class Programs(WithPrograms):
    def test_a_program_that_hangs_ends_with_its_children(self) -> None:
        """Its child holds the output, so that waiting for the program alone would not end."""
        program = self.program("hangs", 'sleep 1000 & echo $! > "$0.child"; sleep 1000')
        with self.assertRaises(ProgramFailed):
            answer_of(program, seconds=0.5)
        self.ended(int((self.bin / "hangs.child").read_text()))

    def test_a_program_that_leaves_a_child_behind(self) -> None:
        program = self.program("leaves", 'sleep 1000 & echo $! > "$0.child"; exit 3')
        with self.assertRaises(ProgramFailed):
            answer_of(program, seconds=1.0)
        self.ended(int((self.bin / "leaves.child").read_text()))

    def ended(self, process_id: int) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with open(f"/proc/{process_id}/stat") as file:
                    if file.read().rpartition(")")[2].split()[0] == "Z":
                        return
            except OSError:
                return
            time.sleep(0.05)
        self.fail("its child lives on")

    def test_a_program_that_prints_without_end(self) -> None:
        with self.assertRaises(ProgramFailed) as caught:
            answer_of(self.program("endless", "yes"), seconds=600.0)
        self.assertGreater(len(caught.exception.output), 2**20)

    def test_what_is_no_program(self) -> None:
        for words in (("/nowhere/at-all",), (self.program("fails", "exit 255"),), ("a\0b",)):
            with self.assertRaises(ProgramFailed):
                answer_of(*words)

    def test_numbers_are_asked_for_with_a_point(self) -> None:
        self.environment(LC_ALL="de_DE.UTF-8")
        self.assertEqual("C", answer_of(self.program("locale", 'printf %s "$LC_ALL"')))

    def test_garbage(self) -> None:
        """None of the readers takes it for values, and each says so by an exception."""
        for garbage in (
            "",
            "\x00\x01\x02",
            "0, 1\n2",
            "{",
            "[1, 2]",
            '{"gpu_data": 5}',
            "Timestamp, DeviceId\n1, 2",
            "<plist/>",
        ):
            program = self.printing("garbage", garbage.replace("\x00", ""))
            for make in (
                Nvidia,
                lambda each: Amd(each, None),
                lambda each: Amd(None, each),
                Ascend,
                Intel,
                Habana,
                Tpu,
                Apple,
            ):
                with self.subTest(garbage=garbage):
                    try:
                        self.assertEqual({}, make(program).read())
                    except ProgramFailed:
                        continue

    def test_a_reader_that_fails_is_asked_less(self) -> None:
        asked: list[int] = []

        def read() -> dict[str, float]:
            asked.append(1)
            raise ProgramFailed

        reader = SlowReader(read)
        for _ in range(40):
            ask(reader)
        self.assertEqual(3, len(asked))
        for _ in range(4):
            ask(reader)
        self.assertEqual(4, len(asked), "after a pause it is tried again")

    def test_a_reader_that_hangs_holds_nothing(self) -> None:
        """While one answer is on its way no other is asked for, and the asker does not wait."""
        asked: list[int] = []
        goes_on = threading.Event()

        def read() -> dict[str, float]:
            asked.append(1)
            goes_on.wait(240)
            return {"x": 1.0}

        reader = SlowReader(read)
        taken: list[dict[str, float]] = []
        for _ in range(5):
            reader.ask(taken.append)
        goes_on.set()
        wait_for(reader)
        self.assertEqual(([{"x": 1.0}], 1), (taken, len(asked)))


class Fields(unittest.TestCase):
    def test_numbers(self) -> None:
        for text, number in (
            ("226 W", 226.0),
            ("41,5", 41.5),
            ("(1800Mhz)", 1800.0),
            ("38.82%", 38.82),
            ("-5", -5.0),
            ("1e3", 1000.0),
            (7, 7.0),
            ("1,024", None),
            ("1.024,5", None),
            ("1.2.3", None),
            ("[N/A]", None),
            ("[Not Supported]", None),
            ("-", None),
            ("", None),
            (None, None),
            (True, None),
            (float("nan"), None),
            ("1e999", None),
        ):
            self.assertEqual(number, number_of(text), text)

    def test_visible(self) -> None:
        cards = [Card(str(index)) for index in range(4)]
        self.assertEqual({"0", "1", "2", "3"}, visible(cards, "NO_SUCH", environment={}))
        self.assertEqual({"0", "1", "2", "3"}, visible(cards, "A", environment={"A": "all"}))
        self.assertEqual({"3"}, visible(cards, "A", "B", environment={"A": "2,3", "B": "1"}))
        self.assertIsNone(visible_count("A", environment={}))
        self.assertEqual(0, visible_count("A", environment={"A": ""}))
        self.assertEqual(2, visible_count("A", "B", environment={"B": "0,1"}))
        self.assertEqual(1, visible_count("A", environment={"A": "1.0,1.1"}))


def of_card(values: dict[str, float], index: str) -> dict[str, float]:
    return {name.partition("/")[2]: value for name, value in values.items() if name.startswith(f"{index}/")}


def ask(reader: SlowReader) -> None:
    reader.ask(lambda values: None)
    wait_for(reader)


def wait_for(reader: SlowReader) -> None:
    end = time.monotonic() + 240
    while reader._is_busy:
        if time.monotonic() > end:
            raise AssertionError("no answer in four minutes")
        time.sleep(0.001)


if __name__ == "__main__":
    unittest.main()
