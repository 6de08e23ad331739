// The referee moves points: the changes have to sum to zero, which is shown while they are typed.
import { both, element } from "./elements";
import { heading, number, press, SEAT_WORDS, signed, text } from "./forms";
import { consider, isBusy } from "./referee_trial";
import type { HandsSheet } from "./sheets";

const LONGEST_REASON = 200;

let changes = [0, 0, 0, 0];
let reason = "";

export function forgetAdjustment(): void {
  changes = [0, 0, 0, 0];
  reason = "";
}

export function drawAdjust(sheet: HandsSheet): Node[] {
  const sum = element("output", "sum");
  const go = press("adjust-go", "wide strong", ["看结果", "see what it does"], () =>
    void consider({ verb: "adjust", fields: { payments: changes, reason: reason.trim() } }),
  );
  const after = SEAT_WORDS.map(() => element("span", "after"));
  const show = (): void => {
    const total = changes.reduce((one, other) => one + other, 0);
    sum.replaceChildren(total === 0 ? both("合计 0 ✓", "sum 0 ✓") : both(`合计 ${signed(total)}，应为0`, `sum ${signed(total)}, expected 0`));
    sum.className = total === 0 ? "sum" : "sum wrong";
    after.forEach((cell, seat) => {
      const now = sheet.balances[seat] ?? 0;
      cell.replaceChildren(`${now} → ${now + (changes[seat] ?? 0)}`);
    });
    const ready = total === 0 && changes.some((change) => change !== 0) && reason.trim() !== "";
    go.toggleAttribute("disabled", !ready || isBusy());
  };
  const rows = SEAT_WORDS.map((label, seat) => {
    const typed = (value: number): void => {
      changes[seat] = value;
      show();
    };
    const who = element("span", "who-label", both(`${label[0]} ${sheet.players[seat] ?? ""}`, label[1]));
    return element("div", "adjust-row", who, number(`adjust-${seat}`, label, changes[seat] ?? 0, [1, 10], typed), after[seat] ?? null);
  });
  const why = text("adjust-reason", ["原因", "reason"], reason, LONGEST_REASON, (typed) => {
    reason = typed;
    show();
  });
  show();
  return [heading(["调整分数", "move points"]), ...rows, sum, why, element("div", "foot-buttons", go)];
}
