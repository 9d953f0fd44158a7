"""Rate limit and token of the service."""

import pytest

from driftlearn.ops.serving import limits
from driftlearn.ops.serving.limits import TOKEN, Rate, check_host, token_in, tokens_for
from driftlearn.ops.serving.request_rows import RequestError

SECRET = "0123456789abcdef"


def test_a_bucket_fills_again():
    now = [0.0]
    rate = Rate(4.0, clock=lambda: now[0])
    assert [rate.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.25]
    now[0] = 0.25
    assert [rate.wait("a"), rate.wait("a")] == [0, 0.25]
    now[0] = 100.0
    assert [rate.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.25]


def test_less_than_one_a_second():
    now = [0.0]
    rate = Rate(0.5, clock=lambda: now[0])
    assert [rate.wait("a"), rate.wait("a")] == [0, 2.0]


def test_memory_of_clients_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "MAX_CLIENTS", 3)
    rate = Rate(1.0, clock=lambda: 0.0)
    for client in "abcd":
        rate.wait(client)
    assert rate.wait("d") == 1.0 and rate.wait("a") == 0.0


def test_other_machines_need_a_token(monkeypatch):
    monkeypatch.delenv(TOKEN, raising=False)
    assert tokens_for("127.0.0.1") == []
    for host in ("0.0.0.0", "::", "example.org", ""):
        with pytest.raises(ValueError, match=f"set the environment variable {TOKEN}"):
            tokens_for(host)
    monkeypatch.setenv(TOKEN, SECRET)
    assert tokens_for("0.0.0.0") == tokens_for("127.0.0.1") == [SECRET.encode()]
    monkeypatch.setenv(TOKEN, f"{SECRET} {SECRET}2")
    assert tokens_for("0.0.0.0") == [SECRET.encode(), f"{SECRET}2".encode()]


@pytest.mark.parametrize("token", ["", "short", "ü" * 20, "a" * 20 + "\n", "a" * 20 + " b"])
def test_a_token_that_is_none(monkeypatch, token):
    monkeypatch.setenv(TOKEN, token)
    with pytest.raises(ValueError, match="16 printable ASCII characters") as problem:
        tokens_for("127.0.0.1")
    assert not token or token not in str(problem.value)


def test_the_token_in_the_header():
    tokens = [SECRET.encode(), f"{SECRET}2".encode()]
    assert token_in(f"Bearer {SECRET}", tokens) == 0
    assert token_in(f"bearer  {SECRET}2 ", tokens) == 1
    for header in (None, "", SECRET, f"Basic {SECRET}", "Bearer ", f"Bearer {SECRET}x", "Bearer ü"):
        assert token_in(header, tokens) is None
    assert token_in("Bearer ", []) is None


def test_hosts_that_are_this_machine():
    for header in ("127.0.0.1:8000", "localhost", "localhost:80", "[::1]:8000", "[::1]"):
        check_host(header)
    for header in (None, "", "example.org", "example.org:8000", "127.0.0.1.example.org", "a:b:c"):
        with pytest.raises(RequestError):
            check_host(header)
