"""What a board does by itself about each fault: the columns that firmware authors need. Pure."""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.faults import FaultCode


@dataclass(frozen=True, slots=True)
class FaultAction:
    """``when`` the fault comes up, what the board does then, and what ``evidence`` tells ("": it is 0)."""

    when: str
    action: str
    evidence: str = ""


ACTIONS: Final[dict[FaultCode, FaultAction]] = {
    FaultCode.PWR_01: FaultAction(
        "the supply falls below its limit", "stops all; after the next start what moved is UNKNOWN"
    ),
    FaultCode.PWR_02: FaultAction(
        "the board or a motor is hotter than its limit",
        "stops all; gone when cooled, then ClearStop",
        "degrees Celsius",
    ),
    FaultCode.PWR_03: FaultAction(
        "the watchdog has started the firmware",
        "goes on; the fault stands until a host has been told, or until the next start",
    ),
    FaultCode.PWR_04: FaultAction(
        "a motor or the supply takes more current than allowed", "stops all", "milliamperes, at most 65535"
    ),
    FaultCode.PWR_05: FaultAction(
        "the cover switch opens", "rejects StartCycle, ResumeCycle and ClearJam as COVER_OPEN"
    ),
    FaultCode.CON_01: FaultAction(
        "a key is down for more than 10 s", "ignores the key until it is up", "the key"
    ),
    FaultCode.CON_02: FaultAction(
        "the console does not answer", "keys do nothing; commands of the host go on"
    ),
    FaultCode.CON_03: FaultAction(
        "the mode switch is turned while a cycle is under way",
        "takes the new mode when the next sorting begins",
        "the new number of tiles",
    ),
    FaultCode.HAT_01: FaultAction(
        "the upper switch is not met in three times the usual travel",
        "stops all; hatch is HATCH_UNKNOWN",
        "ms waited",
    ),
    FaultCode.HAT_02: FaultAction(
        "the lower switch is not met in three times the usual travel",
        "stops all; hatch is HATCH_UNKNOWN",
        "ms waited",
    ),
    FaultCode.HAT_03: FaultAction(
        "the closing hatch meets something (current step)",
        "goes back for 200 ms, then stops all; hatch is HATCH_UNKNOWN",
        "milliamperes",
    ),
    FaultCode.HAT_04: FaultAction(
        "a travel took longer than its bound", "goes on; the hatch wants care", "ms of the travel"
    ),
    FaultCode.DRM_01: FaultAction(
        "the drum does not turn while driven",
        "turns back and on for up to 5 s, then ends the cycle; below is JAMMED",
        "rotations per minute",
    ),
    FaultCode.DRM_02: FaultAction("the drum's current is uneven", "goes on", "milliamperes of ripple"),
    FaultCode.RNG_01: FaultAction(
        "the ring's index does not come", "ends the cycle; below is JAMMED", "ms waited"
    ),
    FaultCode.RNG_02: FaultAction("a ring picks up too few tiles", "goes on", "tiles per minute"),
    FaultCode.FED_01: FaultAction(
        "the jam sensor of a trough is dark for more than 1.5 s",
        "jogs back and on for up to 5 s, then ends the cycle; below is JAMMED",
        "ms dark",
    ),
    FaultCode.HED_01: FaultAction(
        "a head's cam does not come round",
        "jogs back and on for up to 5 s, then ends the cycle; below is JAMMED",
        "ms waited",
    ),
    FaultCode.HED_02: FaultAction(
        "a head's cam turns and its counting sensor is silent",
        "stops the side, then ends the cycle; below is JAMMED",
        "ms without a tile",
    ),
    FaultCode.HED_03: FaultAction(
        "the counting sensor's margin is small", "goes on; the sensor wants cleaning", "margin in percent"
    ),
    FaultCode.HED_04: FaultAction(
        "a stack has one tile, or leans",
        "builds the stack anew for up to 10 s, then ends the cycle; below is JAMMED",
        "tiles on the side",
    ),
    FaultCode.CHN_01: FaultAction(
        "the chain makes more than two laps without its zero", "ends the cycle; below is JAMMED", "laps"
    ),
    FaultCode.CHN_02: FaultAction(
        "a chain rod is held (current)",
        "jogs back and on for up to 5 s, then ends the cycle; below is JAMMED",
        "milliamperes",
    ),
    FaultCode.PSH_01: FaultAction(
        "a push plate's limit switch is not met",
        "draws back and pushes for up to 5 s, then ends the cycle; below is JAMMED",
        "ms waited",
    ),
    FaultCode.WAL_01: FaultAction(
        "the upper switch is not met in three times the usual travel",
        "stops all; carriers are WALLS_UNKNOWN; Home lowers them",
        "ms waited",
    ),
    FaultCode.WAL_02: FaultAction(
        "the lower switch is not met in three times the usual travel",
        "stops all; carriers are WALLS_UNKNOWN",
        "ms waited",
    ),
    FaultCode.WAL_03: FaultAction(
        "the lift's motor runs after it was told to stop",
        "cuts the motors' supply; carriers are WALLS_UNKNOWN",
        "ms too long",
    ),
    FaultCode.WAL_04: FaultAction(
        "a travel took longer than its bound", "goes on; the lift wants care", "ms of the travel"
    ),
    FaultCode.CNT_01: FaultAction(
        "no tile has come for 15 s and tiles are missing", "ends the cycle; below is SHORT", "tiles missing"
    ),
    FaultCode.CNT_02: FaultAction(
        "all walls are full and tiles are left", "ends the cycle; below is OVER", "tiles too many"
    ),
    FaultCode.CNT_03: FaultAction(
        "the drum has turned for 30 s, some tiles are left in it and none come up",
        "runs the flip routine for up to 10 s, then CNT-01",
        "tiles left",
    ),
    FaultCode.CNT_04: FaultAction(
        "the tiles counted do not fit the configuration", "goes on", "tiles counted"
    ),
    FaultCode.CYC_01: FaultAction("a cycle takes longer than the profile's limit", "goes on", "seconds"),
    FaultCode.TIL_01: FaultAction(
        "a head meets a standing or turned tile", "sends it round again", "tiles sent round"
    ),
    FaultCode.TIL_02: FaultAction(
        "one tile goes round and is not picked up for 20 s", "goes on until CNT-03", "seconds in the drum"
    ),
    FaultCode.TIL_03: FaultAction(
        "a tile's back has the other set's colour", "goes on; somebody has to take it out", "tiles seen"
    ),
    FaultCode.DIC_01: FaultAction(
        "the dice do not move while driven", "spins again for up to 10 s, then the command is Failed"
    ),
    FaultCode.DIC_02: FaultAction(
        "the reader does not see the dice", "spins again for up to 10 s, then the command is Failed"
    ),
    FaultCode.DIC_03: FaultAction(
        "the host's statistics of the dice are unlikely",
        "nothing (a host may show it; boards need not report it)",
    ),
    FaultCode.SEN_01: FaultAction(
        "a position switch contradicts the learned travel time",
        "runs by time; safety is DEGRADED",
        "number of the sensor",
    ),
    FaultCode.CFG_01: FaultAction(
        "the stored configuration is damaged or does not add up",
        "rejects StartCycle as BAD_CONFIG until SetConfig",
    ),
    FaultCode.LNK_01: FaultAction("the link is lost", "see chapter 11; gone with the next session"),
    FaultCode.LNK_02: FaultAction(
        "more than 1 % of the last 1000 messages were sent again", "goes on", "per mille sent again"
    ),
    FaultCode.FW_01: FaultAction(
        "the firmware's image does not match its signature", "starts the image before, or moves nothing"
    ),
    FaultCode.EST_01: FaultAction(
        "the wired stop chain is open",
        "STOP_CHAIN_OPEN (the wiring stops all); when closed PROTECTIVE_STOP until ClearStop",
    ),
}
"""One row for every code of the fault table."""
