"""`longzhuo tell` gives a running table an order from a shell."""

import asyncio
import http.client
import json
import re
import time
import urllib.request
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Program, RunProgram, StartTable, Table

ANSWERS = "SELECT count(*) FROM answers"
EVENTS = "SELECT count(*) FROM events"


async def test_a_technician_gives_orders_from_a_shell_and_none_is_carried_out_twice(
    simulated_table: "StartTable", run_program: "RunProgram"
) -> None:
    async with simulated_table("--no-pictures", "--hands", "9", speed=5.0) as table:
        controller = await table.run()
        await table.until(lambda: table.count(EVENTS) > 3)
        (url,) = re.findall(r"http://\S+", controller.said)
        with table.lies_still:
            propose = ("tell", url, "propose", "ruling=barred", "seat=1", "reason=a tile too many")
            status, said, _ = await run_program(*propose, "--id", "n-1", "--json")
            answer = json.loads(said)
            assert (status, answer["id"], answer["done"]) == (0, "n-1", True)
            assert table.count(ANSWERS) == 1
            await controller.kill()
            again = await table.run()
            await table.until(lambda: table.count("SELECT count(*) FROM boots") == 2)
            url = re.findall(r"http://\S+", again.said)[-1]
            status, said, _ = await run_program("tell", url, *propose[2:], "--id", "n-1", "--json")
            assert (status, json.loads(said)) == (0, answer)
            assert table.count(ANSWERS) == 1
            assert table.count("SELECT count(*) FROM doubts WHERE kind = 'barred'") == 1
            status, _, errors = await run_program("tell", url, "answer", "doubt=99", "action=confirm")
            assert (status, errors) == (1, "没有待答的第99号疑问 (there is no open doubt 99)\n")


async def test_a_wrong_address_is_one_line(run_program: "RunProgram") -> None:
    for url in ("127.0.0.1", "ftp://x", "http://127.0.0.1:9"):
        status, said, errors = await run_program("tell", url, "answer", "doubt=1", "action=confirm")
        assert (status, said, errors.count("\n")) == (1, "", 1)
        assert errors.startswith(f"longzhuo: {url}: ")


def _token(url: str) -> str:
    """The page's token, as soon as the page is served."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}config.json", timeout=20) as answer:  # noqa: S310 - our page
                return str(json.loads(answer.read())["token"])
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{url} is not served")


def _ordered(url: str, token: str, order: dict[str, object]) -> dict[str, object] | None:
    """The answer to an order, None where the controller has died over it."""
    request = urllib.request.Request(  # noqa: S310
        f"{url}command", data=json.dumps(order).encode(), headers={"x-longzhuo-token": token}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            told: dict[str, object] = json.loads(answer.read())
            return told
    except (OSError, http.client.HTTPException):
        return None


async def _started(table: "Table", boots: int) -> tuple["Program", str]:
    """A controller that has begun for the time given, and its page."""
    program = await table.run()
    await table.until(lambda: table.count("SELECT count(*) FROM boots") == boots)
    return program, re.findall(r"http://\S+", program.said)[-1]


async def test_an_order_is_carried_out_once_whenever_the_controller_is_killed(
    simulated_table: "StartTable",
) -> None:
    """Killed 0 to 40 ms after an order went out, started again, and asked again under the same id."""
    rng = Random(7)  # noqa: S311 - moments of a test
    async with simulated_table("--no-pictures", "--hands", "1") as table:
        with table.lies_still:
            for number in range(4):
                order: dict[str, object] = {
                    "verb": "adjust",
                    "id": f"k{number}",
                    "author": "x",
                    "reason": "test",
                    "payments": [1, -1, 0, 0],
                }
                controller, url = await _started(table, 2 * number + 1)
                token = await asyncio.to_thread(_token, url)
                asking = asyncio.create_task(asyncio.to_thread(_ordered, url, token, order))
                await asyncio.sleep(rng.random() * 0.04)
                await controller.kill()
                first = await asking
                again, url = await _started(table, 2 * number + 2)
                answer = await asyncio.to_thread(_ordered, url, await asyncio.to_thread(_token, url), order)
                assert answer is not None
                assert answer["done"]
                assert first is None or first == answer
                assert table.count("SELECT count(*) FROM adjustments") == number + 1
                await again.stop()
    last = "SELECT json_extract(balances, '$[0]') FROM adjustments ORDER BY adjustment DESC LIMIT 1"
    assert table.count(last) == 104
