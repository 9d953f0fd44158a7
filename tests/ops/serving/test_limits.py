"""Rate limit and token of the service."""

import pytest

from driftlearn.ops.serving import limits
from driftlearn.ops.serving.limits import TOKEN, Rate, check_host, check_token, token_for
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
    assert token_for("127.0.0.1") is None
    for host in ("0.0.0.0", "::", "example.org", ""):
        with pytest.raises(ValueError, match=f"set the environment variable {TOKEN}"):
            token_for(host)
    monkeypatch.setenv(TOKEN, SECRET)
    assert token_for("0.0.0.0") == token_for("127.0.0.1") == SECRET.encode()


@pytest.mark.parametrize("token", ["", "short", "ü" * 20, "a" * 20 + "\n"])
def test_a_token_that_is_none(monkeypatch, token):
    monkeypatch.setenv(TOKEN, token)
    with pytest.raises(ValueError, match="16 printable ASCII characters") as problem:
        token_for("127.0.0.1")
    assert not token or token not in str(problem.value)


def test_the_token_in_the_header():
    check_token(SECRET.encode(), f"Bearer {SECRET}")
    check_token(SECRET.encode(), f"bearer  {SECRET} ")
    for header in (None, "", SECRET, f"Basic {SECRET}", "Bearer ", f"Bearer {SECRET}x", "Bearer ü"):
        with pytest.raises(RequestError) as refused:
            check_token(SECRET.encode(), header)
        assert refused.value.status == 401 and SECRET not in refused.value.message


def test_hosts_that_are_this_machine():
    for header in ("127.0.0.1:8000", "localhost", "localhost:80", "[::1]:8000", "[::1]"):
        check_host(header)
    for header in (None, "", "example.org", "example.org:8000", "127.0.0.1.example.org", "a:b:c"):
        with pytest.raises(RequestError):
            check_host(header)
