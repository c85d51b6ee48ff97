"""The demo neither banks nor bets for players who joined by phone."""

from phones import Phone, open_table, said

from companion.games.chinchirorin.demo.players import NAMES


def test_who_has_joined_by_phone_bets_alone(world, tmp_path):
    """The draw and all banks but Benedict's continue; Benedict's waits for the phone."""
    with open_table(tmp_path, "chinchirorin", NAMES[:3]) as service:
        phone = Phone(service, tmp_path, 2)
        table = world(service=service, is_watching=False)
        table.run(seconds=10)
        assert service.view()["asked"] == ["Benedict"]
        service.submit({"do": "throw-for-bank", "player": "Benedict", "die": 6}, source="dealer")
        table.run(seconds=10)
        if service.view()["banker"] == "Benedict":
            assert service.view()["phase"] == "bank"
            phone.do(do="bank", amount=20)
        assert table.run(seconds=200, until=lambda: service.view()["rounds"] >= 1)
        assert said(service, "Benedict") == []
