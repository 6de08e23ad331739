"""What a recorder of settlements says to a table."""

from typing import Annotated, Final

import msgspec

from controller.public_parts import VERSION, Count

ACK_TOPIC: Final = "ledger/ack"
MOST_ACKNOWLEDGED: Final = 1000


class LedgerAck(msgspec.Struct, frozen=True, kw_only=True):
    """``ledger/ack``: a recorder has recorded these ledger messages of this table, each safe on its disk.

    It names each ``seq`` of one ``boot``: with several recorders at work, that one message is recorded says
    nothing of those before it. What a table does not wait for is passed over, so it may be said again.
    """

    v: int = VERSION
    boot: Count
    seqs: Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST_ACKNOWLEDGED)]
