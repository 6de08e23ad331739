// The referee's orders: with the PIN where one is set, and tried before they are given.
import { needsPin, send, type Answer } from "./orders";
import { askPin, forgetPin, keepPin, keptPin } from "./pin";

export interface Order {
  verb: string;
  fields: Record<string, unknown>;
}

const AUTHOR = "referee";

// Gives an order as the referee; the PIN is asked for where it is needed and not known, and again where it is wrong.
export async function order({ verb, fields }: Order): Promise<Answer> {
  let wrong: Answer | null = null;
  for (;;) {
    let pin: string | null = null;
    if (needsPin(verb) || wrong !== null) {
      pin = keptPin() || (await askPin(wrong === null ? null : [wrong.zh, wrong.en]));
      if (pin === null) return { done: false, zh: "没有输入PIN，没有执行", en: "no PIN, nothing was done" };
    }
    const answer = await send(verb, { author: AUTHOR, ...fields, ...(pin === null ? {} : { pin }) });
    if (answer.needs === "pin") {
      forgetPin();
      wrong = answer;
      continue;
    }
    if (answer.needs === "time") forgetPin();
    else if (pin !== null && keptPin() === "") keepPin(pin);
    return answer;
  }
}

// What an order would do; nothing is done.
export function tryOut({ verb, fields }: Order): Promise<Answer> {
  return order({ verb, fields: { ...fields, trial: true } });
}
