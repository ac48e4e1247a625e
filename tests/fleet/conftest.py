"""A cluster and an object store on this machine. Only `python -m tests.fleet` has the libraries for these tests."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fleet.local_cluster import LocalCluster

if not all(map(find_spec, ("distributed", "s3fs", "moto"))):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """A scheduler and two workers, which are processes."""
    with LocalCluster(tmp_path / "cluster") as started:
        yield started


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an empty bucket of a server on the loopback interface, which all processes can use."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - not installed for other tests

    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in (
        ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    import s3fs  # noqa: PLC0415

    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("sessions")
    yield "s3://sessions"
    server.stop()
