"""What a test knows to be there."""

from typing import TypeVar

Thing = TypeVar("Thing")


def there(thing: Thing | None) -> Thing:
    """The thing; the test fails where there is none."""
    assert thing is not None
    return thing
