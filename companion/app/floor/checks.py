"""``companion doctor``'s checks of the floor that a table has joined: reachability, and the house's broker."""

from companion.app.floor.house_broker import BrokerLogin
from companion.app.floor.membership import Membership
from companion.app.mqtt.broker import BrokerTrouble
from companion.app.mqtt.check import check_broker


def check_membership(member: Membership) -> str:
    """Query the floor for this table; return the finding.

    Raises:
        JoinFailed, FloorUnreachable, FloorRefused: the table cannot follow it.
    """
    client = member.client()
    try:
        told = client.get("/floor/v1/state")
    finally:
        client.close()
    known = told["known"]
    has = "none of its entries yet" if known is None else f"its entries up to {known['seq']}"
    return f"{member.url} knows this table as {told['name']}, and has received {has}."


def check_house_broker(member: Membership) -> str:
    """Log in to the house's broker as this table; return the finding.

    Raises:
        BrokerTrouble: login failed.
    """
    login = BrokerLogin.of(member.folder)
    if login is None:
        raise BrokerTrouble(
            "The floor has given no login for its broker. The running table asks for one twice a minute; if it gets "
            "none, look at Broker on the pit's page."
        )
    return f"{login.login} at {check_broker(login.config(member))}"
