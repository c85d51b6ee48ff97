"""Waiting for conditions in a page's JavaScript."""

from playwright.sync_api import Page


def until(page: Page, holds: str, *, seconds: float = 20) -> None:
    """Wait until an expression is true in the page.

    Playwright's own `wait_for_function` compiles its text inside the page whenever it must ask twice, which the
    pages' Content-Security-Policy forbids.
    """
    for _ in range(round(seconds / 0.05)):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within {seconds} s: {holds}")
