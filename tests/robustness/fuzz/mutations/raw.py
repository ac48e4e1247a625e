"""Bytes: cut, flipped, joined, in another encoding."""

from __future__ import annotations

from random import Random

TOKENS = (
    b"\x00", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\\ud83d", b"null", b"1e400", b" ", b"\xe2\x80\xa8",
    b"{}\n", b"[]\n", b'"type":',
)  # fmt: skip
_SPANS = (1, 2, 4, 16, 64, 256, 1024)


def _span(random: Random, data: bytes) -> tuple[int, int]:
    low = random.randrange(len(data) + 1)
    return low, min(len(data), low + random.choice(_SPANS))


def flip_bit(random: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def cut_end(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def cut_start(random: Random, data: bytes) -> bytes:
    return data[random.randrange(len(data) + 1) :]


def cut_out(random: Random, data: bytes) -> bytes:
    low, high = _span(random, data)
    return data[:low] + data[high:]


def double(random: Random, data: bytes) -> bytes:
    low, high = _span(random, data)
    return data[:high] + data[low:]


def token(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(TOKENS) + data[at:]


def nul_run(random: Random, data: bytes) -> bytes:
    """As a crash of the machine leaves it: a hole in the file, or behind its end."""
    low, high = _span(random, data)
    return data[:low] + bytes(max(high - low, 1)) + data[high:] if random.random() < 0.7 else data + bytes(4096)


def join_lines(random: Random, data: bytes) -> bytes:
    """One line end lost."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    return b"\n".join([*lines[:at], b"".join(lines[at : at + 2]), *lines[at + 2 :]])


def join_and_cut(random: Random, data: bytes) -> bytes:
    """A line that was cut off where the next one begins."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    torn = lines[at][: random.randrange(len(lines[at]) + 1)]
    return b"\n".join([*lines[:at], torn + b"".join(lines[at + 1 : at + 2]), *lines[at + 2 :]])


def split_line(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice((b"\n", b"\r\n", b"\r")) + data[at:]


def blank_lines(random: Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\n" * random.choice((2, 30)), random.choice((1, -1)))


def line_ends(random: Random, data: bytes) -> bytes:
    return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\x1e", b"\n \n")))


def no_last_line_end(random: Random, data: bytes) -> bytes:
    return data.rstrip(b"\n")


def byte_order_mark(random: Random, data: bytes) -> bytes:
    return b"\xef\xbb\xbf" * random.choice((1, 2)) + data


def other_encoding(random: Random, data: bytes) -> bytes:
    name = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"))
    return data.decode("utf-8", "replace").encode(name, "replace")


def two_logs(random: Random, data: bytes) -> bytes:
    return data + random.choice((b"", b"\n", b",")) + data


def in_a_list(random: Random, data: bytes) -> bytes:
    return b"[" + data.strip() + random.choice((b"]", b",]", b"")) + b"\n"


TABLE = {
    each.__name__: each
    for each in (
        flip_bit,
        cut_end,
        cut_start,
        cut_out,
        double,
        token,
        nul_run,
        join_lines,
        join_and_cut,
        split_line,
        blank_lines,
        line_ends,
        no_last_line_end,
        byte_order_mark,
        other_encoding,
        two_logs,
        in_a_list,
    )
}
