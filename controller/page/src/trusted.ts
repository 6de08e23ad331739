// What may be shown of what was told: payloads of the agreed version and shape that belong to the same hand.
// A payload that lacks something is no payload: a missing number must not become a zero that people pay by.
import { STAMPED_TOPICS, type State } from "./payloads";

export type Topic = (typeof STAMPED_TOPICS)[number];

// Told in a newer version, or in another shape than agreed.
export interface Unreadable {
  topic: Topic;
  newer: boolean;
}

export interface Trusted {
  state: State;
  unreadable: Unreadable[];
}

const VERSION = 1;

type Check = (value: unknown) => boolean;

const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const orNull = (check: Check): Check => (value) => value === null || check(value);
const list = (check: Check): Check => (value) => Array.isArray(value) && value.every(check);
const four = (check: Check): Check => (value) => list(check)(value) && (value as unknown[]).length === 4;
const has = (fields: Record<string, Check>): Check => (value) =>
  typeof value === "object" && value !== null && Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]));
// Nobody pays what nobody gets.
const isPaid: Check = (value) => four(isNumber)(value) && (value as number[]).reduce((sum, points) => sum + points, 0) === 0;

const isMeld = has({ kind: isText, tiles: list(isText), taken_from: orNull(isNumber) });
const isLine = has({ zh: isText, en: isText, value: orNull(isNumber), article: isText });
const isDoubt = has({ zh: isText, en: isText, kind: isText, candidates: list(isText) });

const SHAPES: Record<Topic, Check> = {
  table: has({ phase: isText, hand_no: isNumber, match_no: isNumber, players: four(isText), heartbeat: isNumber }),
  scores: has({ balances: four(isNumber) }),
  hand: has({ ponds: four(list(isText)), melds: four(list(isMeld)), concealed: four(isNumber) }),
  settlement: has({
    hand_no: isNumber,
    match_no: isNumber,
    drawn: isFlag,
    winner: orNull(isNumber),
    hand: list(isText),
    melds: list(isMeld),
    lines: list(isLine),
    payments: isPaid,
    balances: four(isNumber),
  }),
  doubt: has({ doubts: list(isDoubt) }),
  alarm: has({ active: isFlag, zh: isText, en: isText }),
  ranking: has({ match_no: isNumber, ranking: list(has({ place: isNumber, player: isText, points: isNumber, change: isNumber })) }),
  corrections: has({ match_no: isNumber, corrections: list(has({ hand_no: isNumber, payments: isPaid, superseded: isPaid })) }),
};

export function trusted(told: State): Trusted {
  const state = { ...told };
  const unreadable: Unreadable[] = [];
  for (const topic of STAMPED_TOPICS) {
    const payload = told[topic];
    if (payload === undefined || (payload.v === VERSION && SHAPES[topic](payload))) continue;
    unreadable.push({ topic, newer: payload.v > VERSION });
    delete state[topic];
  }
  const { table } = state;
  // Topics come one by one: until both are of the same hand, what lies open and what was settled is not known.
  for (const topic of ["hand", "settlement"] as const) if (table === undefined || !isOfHand(table, state[topic])) delete state[topic];
  return { state, unreadable };
}

interface Numbered {
  hand_no?: number;
  match_no?: number;
}

// A hand is counted from 1; 0 or nothing is told by a controller that does not number what lies open.
function isOfHand(table: Numbered, told: Numbered | undefined): boolean {
  return (["hand_no", "match_no"] as const).every((name) => !told?.[name] || told[name] === table[name]);
}
