"""The callbacks without frameworks: real trainings are python/examples/train_with_frameworks.py."""

from __future__ import annotations

import subprocess
import sys
import unittest

from service import ROOT

_FRAMEWORKS = {
    "lightning": "PyTorch Lightning",
    "transformers": "transformers",
    "keras": "Keras",
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
}


class Absent(unittest.TestCase):
    def test_an_absent_framework_is_named(self) -> None:
        """Importing lossless loads none of them, either."""
        text = (
            "import sys; sys.path.insert(0, sys.argv[1]); import lossless\n"
            "for name in sys.argv[2:]:\n"
            "    assert name not in sys.modules, name\n"
            "    for other in ('tensorflow', 'pytorch_lightning', name): sys.modules[other] = "
            "None\n"
            "    try: __import__(f'lossless.integrations.{name}')\n"
            "    except ImportError as error: print(error)\n"
            "    else: raise AssertionError(name)\n"
        )
        words = [sys.executable, "-W", "error", "-c", text, str(ROOT / "python/src"), *_FRAMEWORKS]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(0, result.returncode, result.stderr)
        for line, (module, framework) in zip(result.stdout.splitlines(), _FRAMEWORKS.items()):
            self.assertRegex(line, f"^this integration needs {framework}, .*pip install {module}$")
        self.assertEqual(len(_FRAMEWORKS), len(result.stdout.splitlines()))


if __name__ == "__main__":
    unittest.main()
