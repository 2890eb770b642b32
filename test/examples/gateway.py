"""gateway.py GATEWAY UPSTREAM CASE: runs one of the functions case_… below. Each
starts the two programs, is their client, and compares what clients have seen with
the ledger and the metrics of the gateway. Exit 77 if a case needs hey and hey is
not installed.
"""
import collections
import http.client
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 120  # seconds; only ends tests that hang
TENANT = {"name": "acme", "key": "k1"}
OTHER = {"name": "bolt", "key": "k2"}


def until(what, holds):
    """Polls until `holds()` is true, and returns its value."""
    end = time.monotonic() + PATIENCE
    while True:
        result = holds()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"does not happen: {what}")
        time.sleep(0.01)


class Program:
    """A program that runs, and what it writes to standard error."""

    def __init__(self, scratch, *command):
        self.log = scratch / (pathlib.Path(command[0]).name + ".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def said(self, pattern):
        if self.process.poll() is not None and not re.search(pattern, self.text()):
            raise AssertionError(f"has ended without {pattern!r}: {self.text()}")
        return re.search(pattern, self.text())

    def says(self, pattern):
        return until(f"says {pattern}", lambda: self.said(pattern))

    def text(self):
        return self.log.read_text()

    def end(self, status=0):
        self.process.send_signal(signal.SIGTERM)
        return self.ended(status)

    def ended(self, status=0):
        got = self.process.wait(PATIENCE)
        assert got == status, (got, self.text())
        return self.text()


class World:
    """A gateway with its upstream."""

    def __init__(self, programs, scratch, upstream=(), gateway=(), tenants=(TENANT,)):
        self.file = scratch / "tenants.json"
        self.write(*tenants)
        self.upstream = Program(scratch, programs[1], *upstream)
        self.upstream_port = int(self.upstream.says(r"serves at port (\d+)\n").group(1))
        self.gateway = Program(
            scratch, programs[0], "--upstream", f"127.0.0.1:{self.upstream_port}",
            "--tenants", str(self.file), *gateway)
        ports = self.gateway.says(r"clients at port (\d+).* at port (\d+)\n")
        self.port, self.admin = int(ports.group(1)), int(ports.group(2))

    def kill(self):
        for each in (self.gateway, self.upstream):
            if each.process.poll() is None:
                each.process.kill()
                each.process.wait()

    def write(self, *tenants):
        self.file.write_text(json.dumps({"tenants": tenants}))

    def reload(self, answer):
        """Sends SIGHUP, and waits for one more line that matches."""
        before = len(re.findall(answer, self.gateway.text()))
        self.gateway.process.send_signal(signal.SIGHUP)
        until(answer, lambda: len(re.findall(answer, self.gateway.text())) > before)

    def send(self, key="k1", method="GET", target="/a", body=None, ms=60_000):
        """Sends a request, and returns its connection without waiting."""
        result = http.client.HTTPConnection("127.0.0.1", self.port, PATIENCE)
        headers = {"X-Api-Key": key, "X-Deadline-Ms": str(ms)}
        result.request(method, target, body, headers)
        return result

    def ask(self, *args, **kwargs):
        connection = self.send(*args, **kwargs)
        result = connection.getresponse()
        result.content = result.read().decode()
        connection.close()
        return result

    def of_admin(self, target):
        return content_at(self.admin, target)

    def calls(self):
        """What the upstream says of the calls that it has had."""
        return content_at(self.upstream_port, "/counts")

    def ledger(self):
        return balanced(json.loads(self.of_admin("/ledger")))

    def reaches(self, **values):
        """Waits until the ledger has the values, and returns the ledger."""
        def holds():
            now = self.ledger()
            return now if values.items() <= now.items() else None
        try:
            return until(f"the ledger has {values}", holds)
        except AssertionError:
            raise AssertionError(f"{values} != {self.ledger()}") from None

    def last_ledger(self):
        text = self.gateway.ended()
        result = balanced(json.loads(re.search(r"ledger (\{.*\})", text).group(1)))
        assert result["waiting"] == result["running"] == 0, result
        return result


def content_at(port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, PATIENCE)
    connection.request("GET", target)
    result = connection.getresponse().read().decode()
    connection.close()
    return result


def balanced(ledger):
    states = ("completed", "failed", "cancelled", "waiting", "running")
    assert ledger["accepted"] == sum(ledger[each] for each in states), ledger
    return ledger


def values_in(metrics, name, label):
    """The values of a metric, by one of its labels, summed over the others."""
    result = collections.Counter()
    for labels, value in re.findall(rf"^{name}{{(.*)}} (\S+)$", metrics, re.M):
        key = re.search(rf'{label}="([^"]*)"', labels)
        if key:
            result[key.group(1)] += int(float(value))
    return +result


def check_metrics(world, ledger):
    """The metrics have the same numbers as a ledger in which nothing is open."""
    metrics = world.of_admin("/metrics")
    assert values_in(metrics, "gateway_answers_total", "code") \
        == collections.Counter(ledger["answers"]), (metrics, ledger)
    settled = values_in(metrics, "libpool_tasks_settled_total", "outcome")
    for outcome in ("completed", "failed", "cancelled"):
        assert settled[outcome] == ledger[outcome], (outcome, metrics, ledger)
    refused = values_in(metrics, "libpool_tasks_refused_total", "reason")
    assert sum(refused.values()) == ledger["refused"], (metrics, ledger)


def hey(world, key, requests, clients):
    """Returns how many answers hey has seen, by status."""
    text = subprocess.run(
        ["hey", "-n", str(requests), "-c", str(clients), "-t", "0",
         "-H", f"X-Api-Key: {key}", f"http://127.0.0.1:{world.port}/load"],
        check=True, capture_output=True, text=True).stdout
    assert "Error distribution" not in text, text
    return collections.Counter(
        {code: int(n) for code, n in re.findall(r"\[(\d+)\]\s+(\d+) responses", text)})


def case_answers(start):
    """Calls are passed on and answered; wrong headers are refused."""
    world = start("--failures", "0", "--delay-ms", "0")
    reply = world.ask(target="/some?x=1")
    assert (reply.status, reply.content) == (200, "answer to /some?x=1\n")
    assert world.ask(method="POST", body="text").status == 200
    assert world.ask(method="HEAD").status == 200
    assert world.ask(key="k3").status == 401
    assert world.ask(ms=0).status == 400 and world.ask(ms="1s").status == 400
    with socket.create_connection(("127.0.0.1", world.port)) as raw:
        raw.sendall(b"no HTTP\r\n\r\n")
        assert raw.recv(12) == b"HTTP/1.1 400"
    ask = "GET /{} HTTP/1.1\r\nX-Api-Key: k1\r\n{}\r\n"
    with socket.create_connection(("127.0.0.1", world.port)) as raw:
        raw.sendall((ask.format(1, "") + ask.format(2, "Connection: close\r\n")).encode())
        contents = raw.makefile().read()
    assert re.findall(r"answer to /(\d)", contents) == ["1", "2"], contents
    ledger = world.reaches(completed=5, running=0)
    assert ledger["answers"] == {"200": 5, "400": 2, "401": 1}, ledger
    check_metrics(world, ledger)
    world.gateway.end()
    assert "requests 5, failed 0, abandoned 0" in world.upstream.end()


def case_retries(start):
    """Idempotent calls that fail are tried again, and answered with 502 at last."""
    world = start("--failures", "1", "--delay-ms", "0",
                  gateway=("--retries", "2", "--backoff-ms", "1"))
    assert world.ask().status == 502
    assert world.ask(method="POST").status == 503  # that of the upstream
    ledger = world.reaches(completed=2, error_answers=1, retries=2)
    check_metrics(world, ledger)
    assert "requests 4, failed 4, abandoned 0" in world.upstream.end()
    assert world.ask().status == 502  # nobody listens there any more
    world.gateway.end()


def case_retry_after(start):
    """The upstream's header Retry-After decides when a failed call is tried again."""
    world = start("--failures", "1", "--delay-ms", "0", "--retry-after", "3600",
                  gateway=("--retries", "2", "--backoff-ms", "1"))
    reply = world.ask()  # an hour is more than the deadline: there is no retry
    assert (reply.status, reply.getheader("Retry-After")) == (502, "3600")
    world.reaches(completed=1, error_answers=1, retries=0)
    assert "requests 1, failed 1, abandoned 0" in world.upstream.end()


def case_load(start):
    """The numbers that hey has seen are those of the ledger and the metrics."""
    if shutil.which("hey") is None:
        print("skipped: there is no hey")
        sys.exit(77)
    world = start("--failures", "0.3", "--delay-ms", "4",
                  gateway=("--tenant-capacity", "8", "--backoff-ms", "5",
                           "--deadline-ms", "60000", "--upstream-timeout-ms", "60000"),
                  tenants=(TENANT | {"share": 2},
                           OTHER | {"most_running": 1, "per_second": 100, "burst": 4}))
    seen = {"acme": hey(world, "k1", 1500, 30), "bolt": hey(world, "k2", 200, 20)}
    assert seen["acme"]["200"] > 0 and seen["bolt"]["429"] > 0, seen
    ledger = world.reaches(waiting=0, running=0)
    assert ledger["tenants"] == {name: dict(all) for name, all in seen.items()}, ledger
    total = seen["acme"] + seen["bolt"]
    assert ledger["accepted"] + ledger["refused"] == 1700 == sum(total.values()), ledger
    assert ledger["refused"] == ledger["reasons"]["flow_full"] == total["429"], ledger
    assert ledger["completed"] - ledger["error_answers"] == total["200"], ledger
    assert ledger["error_answers"] == total["502"], ledger
    assert ledger["cancelled"] == total["504"] and ledger["retries"] > 0, ledger
    check_metrics(world, ledger)
    world.gateway.process.terminate()
    assert world.last_ledger() == ledger
    calls = ledger["completed"] + ledger["retries"]
    assert f"requests {calls}," in world.upstream.end()


def case_full(start):
    """Waiting requests beyond the limits are refused, with Retry-After if a rate tells when."""
    held = {"most_running": 0}
    world = start("--failures", "0", "--delay-ms", "0",
                  gateway=("--tenant-capacity", "4", "--capacity", "6"),
                  tenants=(TENANT | held, OTHER | held))
    waiting = [world.send("k1") for _ in range(4)]
    world.reaches(waiting=4)
    of_tenant = world.ask("k1")
    late = world.ask("k2", ms=1)
    waiting += [world.send("k2") for _ in range(2)]
    world.reaches(waiting=6)
    of_all = world.ask("k2")
    for reply, status in ((of_tenant, 429), (late, 504), (of_all, 503)):
        assert reply.status == status, (reply.status, reply.content)
        assert reply.getheader("Retry-After") is None, reply.getheaders()
    world.write(TENANT, OTHER)
    world.reload("has read the tenants file again")
    assert [each.getresponse().status for each in waiting] == [200] * 6
    ledger = world.reaches(completed=6, cancelled=1, refused=2, running=0)
    assert ledger["answers"] == {"200": 6, "429": 1, "503": 1, "504": 1}, ledger
    check_metrics(world, ledger)
    # A rate tells when a place is free: 4 wait, and one begins in 100 s.
    world.write(TENANT | {"per_second": 0.01})
    world.reload("has read the tenants file again")
    assert world.ask("k1").status == 200  # the burst
    waiting = [world.send("k1") for _ in range(4)]
    world.reaches(waiting=4)
    assert world.ask("k1").getheader("Retry-After") == "400"


def case_leaving(start):
    """The requests of clients that close their connections are cancelled."""
    world = start("--delay-ms", "3600000", gateway=("--workers", "3",
                                                   "--upstream-timeout-ms", "60000"))
    clients = [world.send() for _ in range(8)]
    world.reaches(waiting=5, running=3)
    until("3 calls", lambda: world.calls() == "requests 3, failed 0, abandoned 0\n")
    for each in clients:
        each.close()
    ledger = world.reaches(cancelled=8, waiting=0, running=0)
    assert ledger["answers"] == {"499": 8}, ledger
    assert ledger["reasons"] == {"cancelled": 8}, ledger
    check_metrics(world, ledger)
    # Workers have ended their calls: there is a worker for each new request. A request
    # can have begun after the first clients have left, and before its own has.
    ended = until("all calls end", lambda: re.fullmatch(
        r"requests (\d+), failed 0, abandoned \1\n", world.calls()))
    begun = int(ended.group(1))
    assert 3 <= begun <= 8, begun
    clients = [world.send() for _ in range(3)]
    until("3 more", lambda: world.calls()
          == f"requests {begun + 3}, failed 0, abandoned {begun}\n")
    world.gateway.process.terminate()
    world.gateway.says("ends after")
    for each in clients:
        each.close()
    assert world.last_ledger()["answers"] == {"499": 11}
    until("all calls end", lambda: world.calls()
          == f"requests {begun + 3}, failed 0, abandoned {begun + 3}\n")


def case_reload(start):
    """A wrong file is refused and changes nothing; a right one is used at once."""
    held = TENANT | {"most_running": 0}
    world = start("--failures", "0", "--delay-ms", "0", tenants=(held, OTHER))
    waiting = world.send("k1")
    world.reaches(waiting=1)
    wrong = {
        r"keeps .*line 2, column 1": '{"tenants":\n]',
        r"tenants\[1\]\.per_second must be a number above 0, got -4":
            [TENANT, OTHER | {"per_second": -4}],
        r"tenants\[0\]\.burst needs per_second": [TENANT | {"burst": 2}],
        r"tenants\[0\]\.sahre is not a field": [TENANT | {"sahre": 2}],
        r"tenants\[1\]\.name must be unique": [TENANT, TENANT | {"key": "k3"}],
        r"tenants\[1\]\.key is that of another": [TENANT, OTHER | {"key": "k1"}],
        r"tenants\[0\]\.share must be a number above 0, got 0": [TENANT | {"share": 0}],
        r"tenants must be a list that is not empty": [],
    }
    for answer, content in wrong.items():
        if isinstance(content, str):
            world.file.write_text(content)
        else:
            world.write(*content)
        world.reload(answer)
        assert world.ask("k2").status == 200
    world.file.unlink()
    world.reload("No such file")
    assert world.ledger()["waiting"] == 1
    world.write(TENANT | {"share": 3}, {"name": "core", "key": "k3", "share": 0.5})
    world.reload("has read the tenants file again")
    assert waiting.getresponse().status == 200
    assert world.ask("k3").status == 200 and world.ask("k2").status == 401


def case_drain(start):
    """SIGTERM ends the gateway when all requests are answered."""
    world = start("--failures", "0.2", "--delay-ms", "50", gateway=("--workers", "2"))
    clients = [world.send() for _ in range(20)]
    world.reaches(accepted=20)
    world.gateway.process.terminate()
    seen = collections.Counter(str(each.getresponse().status) for each in clients)
    ledger = world.last_ledger()
    assert ledger["answers"] == dict(seen) and ledger["accepted"] == 20, (seen, ledger)
    assert set(seen) <= {"200", "502"}, seen
    try:
        world.send()
        raise AssertionError("the gateway listens after its end")
    except ConnectionRefusedError:
        pass


def case_second_signal(start):
    """A second signal ends the gateway at once."""
    world = start("--delay-ms", "3600000")
    waiting = world.send()
    world.reaches(running=1)
    world.gateway.process.terminate()
    world.gateway.says("ends after")
    world.gateway.end(128 + signal.SIGTERM)
    waiting.close()


def case_usage(start):
    """A start that fails says why."""
    world = start()
    gateway, there = world.gateway.process.args[0], world.gateway.process.args[2]
    usual = {"--upstream": there, "--tenants": str(world.file)}
    for status, words, changed in (
            (2, "--tenants is required", {"--tenants": None}),
            (2, "--workers", {"--workers": "0"}),
            (1, "no.json: No such file", {"--tenants": "no.json"}),
            (1, "must be HOST:PORT, got 'host'", {"--upstream": "host"}),
            (1, f"port {world.port}: ", {"--port": str(world.port)})):
        all_of = [x for pair in (usual | changed).items() if pair[1] for x in pair]
        ran = subprocess.run([gateway, *all_of], capture_output=True, text=True)
        assert ran.returncode == status and words in ran.stderr, (words, ran)


def main(gateway, upstream, name):
    worlds = []
    with tempfile.TemporaryDirectory() as scratch:
        def start(*of_upstream, **more):
            worlds.append(World((gateway, upstream), pathlib.Path(scratch),
                                of_upstream, **more))
            return worlds[-1]
        try:
            globals()["case_" + name](start)
        finally:
            for each in worlds:
                each.kill()


main(*sys.argv[1:])
