// What the controller tells over HTTP to those who set up and referee: /setup.json and /hands.json.
import type { Seat } from "./payloads";

export interface Told {
  zh: string;
  en: string;
}

export type Value = boolean | number | string;

export interface OptionSheet {
  name: string;
  zh: string;
  en: string;
  about: Told;
  article: string;
  default: Value;
  values: Value[];
  meanings: Told[];
}

export interface RuleSheet {
  name: string;
  zh: string;
  en: string;
  about: Told;
  tiles: number;
  why: Told | null;
  options: OptionSheet[];
}

export interface SetupSheet {
  match_no: number;
  hand_no: number;
  rules: RuleSheet[];
  chosen: string;
  options: Record<string, Value>;
  players: string[];
  why_not_setup: Told | null;
  why_not_start: Told | null;
  start: Told | null;
}

export interface EventLine {
  line: string;
  zh: string;
  en: string;
}

export interface HandItem {
  deal: number;
  hand_no: number;
  how: "playing" | "won" | "drawn" | "withheld" | "abandoned";
  winner: Seat | null;
  from_seat: Seat | null;
  tile: string | null;
  payments: number[];
  balances: number[];
  edition: number;
  author: string;
  // Why a person has abandoned it.
  reason: string;
  why_not: Told | null;
  events: EventLine[];
}

export interface Named extends Told {
  name: string;
}

export interface HandsSheet {
  match_no: number;
  playing: boolean;
  paused: boolean;
  locked: boolean;
  players: string[];
  balances: number[];
  indicator: string | null;
  hands: HandItem[];
  ways: Named[];
  flags: Named[];
}

export const HOW_WORDS: Record<string, readonly [string, string]> = {
  playing: ["正在打", "being played"],
  won: ["胡", "won"],
  drawn: ["荒庄", "drawn"],
  withheld: ["未结算", "withheld"],
  abandoned: ["放弃", "abandoned"],
};

const LONGEST_WAIT_MS = 7_000;

// Null where the controller does not answer.
export async function read<T>(name: "setup" | "hands"): Promise<T | null> {
  try {
    const answer = await fetch(`${name}.json`, { cache: "no-store", signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
    return answer.ok ? ((await answer.json()) as T) : null;
  } catch {
    return null;
  }
}
