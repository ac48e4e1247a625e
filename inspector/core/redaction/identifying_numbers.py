"""Numbers that identify somebody and that a check digit proves: payment cards, bank accounts, national numbers.

A pattern finds what is written like such a number. python-stdnum decides whether it is one, so that other long numbers
(times, sizes, ids of a log) stay. A table row names the module of stdnum that knows the number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module

_BEGINS, _ENDS = r"(?<![\w.-])", r"(?![\w-]|\.\d)"

CARD = re.compile(rf"{_BEGINS}[2-6](?:[ -]?\d){{12,18}}{_ENDS}")
IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")

# How national numbers are written, by the module of stdnum, which is named after the country.
_NATIONAL = {
    "ar.cuit": r"\d{2}-?\d{8}-?\d",
    "au.tfn": r"\d{3} \d{3} \d{3}",
    "be.nn": r"\d{2}\.?\d{2}\.?\d{2}[ -]?\d{3}[ .-]?\d{2}",
    "br.cpf": r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}",
    "ca.sin": r"\d{3}[ -]\d{3}[ -]\d{3}",
    "ch.ssn": r"756\.?\d{4}\.?\d{4}\.?\d{2}",
    "cl.rut": r"\d{1,2}\.?\d{3}\.?\d{3}-[\dKk]",
    "cn.ric": r"\d{17}[\dXx]",
    "cz.rc": r"\d{6}/\d{3,4}",
    "de.idnr": r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
    "dk.cpr": r"\d{6}-\d{4}",
    "ee.ik": r"[1-6]\d{10}",
    "es.dni": r"\d{8}-?[A-Za-z]",
    "es.nie": r"[XYZxyz]-?\d{7}-?[A-Za-z]",
    "fi.hetu": r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Z]",
    "fr.nir": r"[12] ?\d{2} ?\d{2} ?[\dAB]{2} ?\d{3} ?\d{3} ?\d{2}",
    "gb.nhs": r"\d{3}[ -]\d{3}[ -]\d{4}",
    "gr.amka": r"\d{11}",
    "hr.oib": r"\d{11}",
    "in_.aadhaar": r"\d{4}[ -]?\d{4}[ -]?\d{4}",
    "it.codicefiscale": r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]",
    "jp.in_": r"\d{4}[ -]?\d{4}[ -]?\d{4}",
    "kr.rrn": r"\d{6}-\d{7}",
    "mx.curp": r"[A-Za-z]{4}\d{6}[HMhm][A-Za-z]{5}[A-Za-z0-9]\d",
    "no.fodselsnummer": r"\d{6} ?\d{5}",
    "pl.pesel": r"\d{11}",
    "pt.cc": r"\d{8} ?\d ?[A-Za-z0-9]{2}\d",
    "ro.cnp": r"[1-8]\d{12}",
    "se.personnummer": r"(?:\d{2})?\d{6}[-+]\d{4}",
    "th.pin": r"\d-\d{4}-\d{5}-\d{2}-\d",
    "tr.tckimlik": r"[1-9]\d{10}",
    "us.ssn": r"\d{3}-\d{2}-\d{4}",  # it has no check digit, and no other number is written like this
    "za.idnr": r"\d{13}",
}


def replace_identifying_numbers(text: str, name: Callable[[str, str], str]) -> str:
    """Return a text in which `name(kind, number)` is in the place of each number.

    The number is given without what groups its digits.
    """
    text = _replace("card", CARD, _is_card, text, name)
    text = _replace("iban", IBAN, partial(_is_valid, "iban"), text, name)
    for module, shape in _compiled().items():
        text = _replace("id", shape, partial(_is_valid, module), text, name)
    return text


@cache
def _compiled() -> dict[str, re.Pattern[str]]:
    return {module: re.compile(f"{_BEGINS}{shape}{_ENDS}") for module, shape in _NATIONAL.items()}


def _replace(
    kind: str, shape: re.Pattern[str], is_one: Callable[[str], bool], text: str, name: Callable[[str, str], str]
) -> str:
    def replaced(match: re.Match[str]) -> str:
        whole = match[0]
        # A word after the number may look like one more group of it.
        for end in (len(whole), *(gap.start() for gap in reversed(list(re.finditer(" ", whole))))):
            if is_one(whole[:end]):
                return name(kind, re.sub(r"[ ./-]", "", whole[:end]).upper()) + whole[end:]
        return whole

    return shape.sub(replaced, text)


def _is_card(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= 13 and _is_valid("luhn", re.sub(r"\D", "", number))


def _is_valid(module: str, number: str) -> bool:
    """Return whether stdnum takes a number for valid. Its modules are loaded when a number looks like theirs."""
    return bool(import_module(f"stdnum.{module}").is_valid(number))
