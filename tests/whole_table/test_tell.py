"""`longzhuo tell` gives a running table an order from a shell."""

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import RunProgram, StartTable

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
