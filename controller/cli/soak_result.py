"""What a soak run was asked for and what it came to, for programs and for people. Pure."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controller.cli.soak_table import SoakTable, Wish

COUNTED: Final = (
    *("hands", "settled", "drawn", "withheld", "silently_wrong", "doubts", "doubts_resolved_by_itself"),
    *("doubts_by_person", "wrong_answers", "hands_lost"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was asked for."""

    hands: int
    seed: int
    faults: str
    level: str
    speed: float
    rules: str
    tables: int
    ponds: str = "own"

    def wishes(self) -> list[Wish]:
        """What each table is to play; one table alone has the seed that was given."""
        shares = [self.hands // self.tables + (n < self.hands % self.tables) for n in range(self.tables)]
        return [
            Wish(
                seed=self.seed if self.tables == 1 else 1000 * self.seed + n,
                hands=share,
                faults=self.faults,
                pixels=self.level == "pixels",
                speed=self.speed,
                rules=self.rules,
                ponds=self.ponds,
            )
            for n, share in enumerate(shares)
        ]


def result_of(  # noqa: PLR0913 - all that is known
    run: Run,
    tables: list[SoakTable],
    verdicts: list[dict[str, Any]],
    *,
    seconds: float,
    cpu_s: float,
    in_memory: bool,
    kept: Path,
    ended_early: bool,
) -> dict[str, Any]:
    """The result under the names that `--json` promises."""
    counted = {name: sum(verdict[name] for verdict in verdicts) for name in COUNTED}
    kinds: Counter[str] = Counter()
    for verdict in verdicts:
        kinds.update(verdict["kinds"])
    hands = counted["hands"]
    return {
        **counted,
        "restarts": sum(table.restarts for table in tables),
        "crashes": sum(len(table.crashes) for table in tables),
        "hands_per_minute": round(60.0 * hands / seconds, 1),
        "hands_per_minute_and_core": round(60.0 * hands / cpu_s, 1) if cpu_s else 0.0,
        "at_most_wrong": round(min(1.0, 3.0 / hands), 6) if hands and not counted["silently_wrong"] else None,
        "doubt_kinds": dict(kinds.most_common()),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_s, 1),
        "hands_wanted": run.hands,
        "ended_early": ended_early,
        "seed": run.seed,
        "faults": run.faults,
        "level": run.level,
        "speed": run.speed,
        "rules": run.rules,
        "tables": len(tables),
        "timers": "divided by the speed" if run.level == "tiles" else "divided by the speed, with a least",
        "journal_in_memory": in_memory,
        "found": [found for verdict in verdicts for found in verdict["found"]],
        "kept": str(kept) if kept.exists() else None,
    }


def in_words(result: dict[str, Any]) -> str:
    """The result for people."""
    hands = result["hands"]
    per = 100.0 / hands if hands else 0.0
    ends = (
        f"共 {hands} 局 hands：结算 settled {result['settled']}，荒庄 drawn {result['drawn']}，"
        f"未结 withheld {result['withheld']}（{result['withheld'] * per:.2f} %），"
        f"错算 silently wrong {result['silently_wrong']}，丢失 lost {result['hands_lost']}"
    )
    asked = (
        f"存疑 doubts {result['doubts']}（每百局 {result['doubts'] * per:.1f} per 100 hands）："
        f"自解 by themselves {result['doubts_resolved_by_itself']}，"
        f"由人 by people {result['doubts_by_person']}"
        f"（每百局 {result['doubts_by_person'] * per:.1f} per 100），"
        f"答错 wrong answers {result['wrong_answers']}"
    )
    pace = (
        f"{result['hands_per_minute']} 局/分 hands a minute，{result['hands_per_minute_and_core']} "
        f"每核 per minute and core，{result['tables']} 桌 tables，重启 restarts {result['restarts']}；"
        f"人、机器和控制器的等待都快 {result['speed']:g} 倍 people, machine and the controller's waits are "
        f"{result['speed']:g} times as fast"
    )
    lines = [ends, asked, pace]
    if result["ended_early"]:
        wanted = result["hands_wanted"]
        lines.insert(
            0, f"提前结束：{wanted} 局打了 {hands} 局 ended early: {hands} of {wanted} hands were played"
        )
    if result["journal_in_memory"]:
        lines.append("记录写在内存盘 the journals lie in memory, not on a disk")
    if result["at_most_wrong"] is not None:
        lines.append(
            f"0/{hands}：错算率有 95 % 把握低于 {result['at_most_wrong']:.4%} "
            f"with 95 % confidence fewer than 3 in {hands} are silently wrong"
        )
    lines += [
        f"✗ seed {found['seed']} hand {found['deal']}: {found['what']} ({found['how']}) {found['reason']}"
        f" {'; '.join(found['differences'])} → {found['folder']}"
        for found in result["found"]
    ]
    return "\n".join(lines)
