"""A table that settles a hand every few milliseconds and is killed now and then: a program of its own.

`ledger_table.py JOURNAL URL HANDS`: goes on where its journal stops, and ends when so many hands are settled
and a recorder has acknowledged all of them.
"""

import asyncio
import sys
import time
from pathlib import Path

import msgspec

from controller.journal import Journal
from controller.journal_rows import AckRow, BootRow, OutboxRow
from controller.mqtt import Publisher
from controller.outbox_post import Post

PREFIX = "mj/v1/home/t"


async def play(path: Path, url: str, hands: int) -> None:
    with Journal.open(path) as journal:
        boot = journal.past().boot
        journal.write((BootRow(boot=boot, at=0.0, version="", rules="", model="", settings="{}"),))
        post = Post(path, now=time.monotonic, first_s=0.1)
        publisher = Publisher(url=url, prefix=PREFIX, ledger=post)

        async def arrived(rows: tuple[AckRow, ...]) -> None:
            journal.write(rows)

        post.listen(publisher, arrived)
        running = asyncio.create_task(publisher.run())
        settled = count(journal, "outbox")
        while settled < hands or settled > count(journal, "acks"):
            if settled < hands:
                settled += 1
                payload = msgspec.json.encode({"boot": boot, "seq": settled, "hand_no": settled})
                row = OutboxRow(
                    boot=boot, seq=settled, at=0.0, topic="ledger/settlement", payload=payload.decode()
                )
                journal.write((row,))
                publisher.send_ledger(row.topic, payload)
            await asyncio.sleep(0.005)
        publisher.stop()
        await running


def count(journal: Journal, table: str) -> int:
    database = journal._database  # noqa: SLF001 - what the program asks itself only here
    return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
