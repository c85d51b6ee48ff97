"""Who may see the set-up code: the first browser in the local network, and someone at the panel."""

import pytest

from web_ui.access.first_start import FirstBrowser, is_near
from web_ui.access.store import AccessError


@pytest.mark.parametrize(
    ("remote", "reached", "near"),
    [
        ("10.1.2.3", "", True),
        ("fe80::1%eth0", "", True),
        ("::ffff:192.168.7.7", "203.0.113.5", True),
        ("203.0.113.200", "203.0.113.5", True),  # the same /24
        ("203.0.114.5", "203.0.113.5", False),
        ("203.0.113.200", "", False),
        ("203.0.113.200", "2a02:8071:1:2::5", False),
        ("", "192.168.1.5", False),
        ("a name", "192.168.1.5", False),
    ],
)
def test_near_is_the_tables_own_network(remote: str, reached: str, near: bool) -> None:
    assert is_near(remote, reached) is near


def test_the_first_browser_stays_the_first_until_somebody_is_at_the_panel() -> None:
    first = FirstBrowser()
    mark = first.admit(None, "10.0.0.1")
    assert first.admit(mark, "10.0.0.1") == mark
    for other in (None, "made up"):
        with pytest.raises(AccessError, match=r"at 10\.0\.0\.1,") as refused:
            first.admit(other, "10.0.0.2")
        assert refused.value.code == "not-first"
    at_panel = first.admit(None, "10.0.0.3", is_at_panel=True)
    assert at_panel != mark
    assert first.admit(at_panel, "10.0.0.3", is_at_panel=True) == at_panel
    with pytest.raises(AccessError, match=r"at 10\.0\.0\.3,"):
        first.admit(mark, "10.0.0.1")
