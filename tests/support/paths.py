"""Where things lie: the checkout, its sample logs, and the folder of real logs and tools beside it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "resources" / "samples"
SHARED = ROOT.parent / "shared"
