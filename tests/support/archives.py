"""Archives as people send them, and hostile ones."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from inspector.core.storage.compression import zstd_library

Pack = Callable[[Path, Mapping[str, bytes]], Path]


def zipped(folder: Path, members: Mapping[str, bytes], name: str = "ticket.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(zipfile.ZipInfo(member), data, zipfile.ZIP_DEFLATED)
    return path


def tarred(folder: Path, members: Mapping[str, bytes]) -> Path:
    path = folder / "ticket.tar"
    with tarfile.open(path, "w") as archive:
        for member, data in members.items():
            info = tarfile.TarInfo(member)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def gzipped(folder: Path, members: Mapping[str, bytes]) -> Path:
    path = folder / "ticket.tar.gz"
    path.write_bytes(gzip.compress(tarred(folder, members).read_bytes()))
    (folder / "ticket.tar").unlink()
    return path


def zstandard(folder: Path, members: Mapping[str, bytes]) -> Path:
    path = folder / "ticket.tar.zst"
    path.write_bytes(zstd_library().compress(tarred(folder, members).read_bytes()))
    (folder / "ticket.tar").unlink()
    return path


PACKERS: tuple[Pack, ...] = (zipped, tarred, gzipped, zstandard)


def with_odd_members(folder: Path, kinds: tuple[bytes, ...], log: bytes) -> Path:
    """A tar with members that are no files, and a log behind them."""
    path = folder / "odd.tar"
    with tarfile.open(path, "w") as archive:
        for number, kind in enumerate(kinds):
            info = tarfile.TarInfo(f"odd{number}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("log.jsonl")
        info.size = len(log)
        archive.addfile(info, io.BytesIO(log))
    return path


def with_linked_member(folder: Path) -> Path:
    """A zip in which a member is a symbolic link, as Info-ZIP writes it."""
    path = folder / "linked.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("log.jsonl")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return path


def patched(path: Path, find: bytes, at: int, new: bytes) -> Path:
    """An archive with bytes changed, `at` so many behind each place where `find` stands."""
    data = bytearray(path.read_bytes())
    place = data.find(find)
    while place >= 0:
        data[place + at : place + at + len(new)] = new
        place = data.find(find, place + 1)
    path.write_bytes(data)
    return path


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def locked(path: Path) -> Path:
    """A zip whose members say that they are encrypted."""
    return patched(patched(path, LOCAL, 6, b"\x01"), CENTRAL, 8, b"\x01")


def zip_with_names(members: dict[str, bytes], encoding: str) -> bytes:
    """A zip whose names are in an old encoding, as Windows writes it: without the flag of UTF-8."""
    # Each character of the raw name stands for a byte, as zipfile takes code page 437 for names without the flag.
    raw = {name.encode(encoding).decode("cp437"): data for name, data in members.items()}
    stand_ins = {f"{number:03}".ljust(len(name), "#"): name for number, name in enumerate(raw)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for stand_in, name in stand_ins.items():
            archive.writestr(stand_in, raw[name])
    data = packed.getvalue()
    for stand_in, name in stand_ins.items():
        data = data.replace(stand_in.encode(), name.encode("cp437"))
    return data


def zip_of(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def tar_of(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()
