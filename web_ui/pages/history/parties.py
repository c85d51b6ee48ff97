"""Labels of payers and payees."""

from companion.kernel.accounts import Account, Kind
from web_ui.languages import language
from web_ui.strings import catalogue, text


def who(label: str) -> str:
    """Return the localized label of a payer or payee: a player, a pot, the bank."""
    account = Account.from_label(label)
    if account.kind is Kind.POT:
        suits = catalogue(language())
        return text("pot_of", language(), suit=suits.get(f"suit_{account.name}", account.name))
    return account.name or text(f"party_{account.kind}", language())
