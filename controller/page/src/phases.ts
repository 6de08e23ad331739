// The words for how far a hand is.
import { both } from "./elements";
import type { Phase } from "./payloads";

const PHASES: Record<Phase, [string, string]> = {
  idle: ["等待开局", "waiting"],
  hatch_open: ["请推牌入桌", "push the tiles in"],
  shuffling: ["洗牌中", "shuffling"],
  walls: ["升牌", "walls rising"],
  dealing: ["起牌", "dealing"],
  playing: ["进行中", "in play"],
  settled: ["已结算", "settled"],
  drawn: ["荒庄", "drawn hand"],
  stopped: ["停机", "stopped"],
};

export function phaseWords(phase: Phase): HTMLElement {
  const [zh, en] = PHASES[phase] ?? [phase, ""];
  return both(zh, en);
}
