"""`python -m tests.fleet`: the tests of checks on a cluster and from object storage.

It installs the libraries for them into a cache folder, and runs pytest, to which arguments are passed.
"""

import os
import subprocess
import sys
import sysconfig

from tests.interop.third_party.environments import Environment, NotInstalled
from tests.support.paths import ROOT

ENVIRONMENT = Environment(
    "fleet", ("distributed==2026.8.0", "fsspec==2026.9.0", "s3fs==2026.9.0", "moto[server]==5.2.5")
)


def main(arguments: list[str]) -> int:
    try:
        ENVIRONMENT.install()
    except NotInstalled as error:
        print(f"The libraries could not be installed: {error}")
        return 1
    libraries = sysconfig.get_path("purelib", vars={"base": str(ENVIRONMENT.folder)})
    # Behind those of the tests, so that what both have is the same as in the other tests.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), libraries)), "QT_QPA_PLATFORM": "offscreen"}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default", "tests/fleet", *arguments]
    return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
