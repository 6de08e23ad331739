// What the controller publishes below <prefix>/state/, as far as the page shows it.
// Unknown fields are ignored; a tile is "2m", "E", "back" or "?".

export type Seat = 0 | 1 | 2 | 3;
export const SEATS: readonly Seat[] = [0, 1, 2, 3];

export type Phase =
  | "idle"
  | "hatch_open"
  | "shuffling"
  | "walls"
  | "dealing"
  | "playing"
  | "settled"
  | "drawn"
  | "stopped";

interface Stamped {
  v: number;
  boot: number;
  seq: number;
  ts: string;
}

export interface Table extends Stamped {
  phase: Phase;
  hand_no: number;
  match_no: number;
  dealer: Seat | null;
  dice: number[] | null;
  first_die: number | null;
  dragon: string | null;
  tiles_left: number | null;
  players: string[];
  rules: string;
  heartbeat: number;
  paused?: boolean;
  locked?: boolean;
  // What a unit of points is multiplied by.
  stake?: number;
  // After a hand has ended: who deals the next one, null where that is not known yet.
  next_dealer?: Seat | null;
}

// The points after a hand of a match, and how it ended.
export interface HandPoints {
  hand_no: number;
  how: "won" | "drawn" | "withheld" | "abandoned";
  winner: Seat | null;
  balances: number[];
}

export interface Scores extends Stamped {
  balances: number[];
  start_points: number;
  // What the rule set calls points, and the title that goes with each seat's.
  points_zh?: string;
  points_en?: string;
  titles?: { zh: string; en: string }[];
  history?: HandPoints[];
}

export interface Meld {
  kind: string;
  tiles: string[];
  taken_from: Seat | null;
}

// Until when who has to move; seat null: a discard is open to all.
export interface Deadline {
  at: string;
  seconds: number;
  seat: Seat | null;
}

// What people are to be told of a seat in this hand.
export interface Warning {
  seat: Seat;
  kind: string;
  zh: string;
  en: string;
}

export interface Hand extends Stamped {
  // Of the table snapshot that it belongs to; 0 where nobody has told.
  hand_no?: number;
  match_no?: number;
  indicator: string | null;
  dragon: string | null;
  turn: Seat | null;
  last_discard: { seat: Seat; tile: string } | null;
  ponds: string[][];
  melds: Meld[][];
  concealed: number[];
  tiles_left: number | null;
  deadline?: Deadline | null;
  // How many sets a seat (outer) may still make with an opponent's (inner) discards; null: as many as it likes.
  claims_left?: number[][] | null;
  warnings?: Warning[];
}

export interface Line {
  zh: string;
  en: string;
  value: number | null;
  article: string;
}

export interface Settlement extends Stamped {
  hand_no: number;
  drawn: boolean;
  winner: Seat | null;
  from_seat: Seat | null;
  how: string;
  how_zh: string;
  how_en: string;
  tile: string | null;
  hand: string[];
  melds: Meld[];
  dragon: string | null;
  dragons: number;
  lines: Line[];
  unit: number | null;
  point_each: number | null;
  payments: number[];
  balances: number[];
  payer: Seat | null;
  match_no: number;
  match_over: boolean;
  // Only of a settlement that a person has entered or corrected.
  edition?: number;
  superseded?: number[] | null;
  difference?: number[] | null;
  entered?: boolean;
  author?: string;
}

export interface RankedSeat {
  place: number;
  seat: Seat;
  player: string;
  points: number;
  change: number;
}

export interface Ranking extends Stamped {
  match_no: number;
  hands: number;
  ended?: "played" | "ended";
  certain: boolean;
  ranking: RankedSeat[];
  start_points?: number;
  history?: HandPoints[];
}

export interface Doubt {
  id: string | number;
  kind: string;
  zh: string;
  en: string;
  candidates: string[];
  // How many different people have to choose each candidate; what one of them has said already, and who.
  persons?: number[];
  said?: string;
  said_by?: string;
  asked?: number;
  // Whose play is in question.
  seats?: Seat[];
  // One a candidate, 0..1 or null; what would resolve it; names of pictures below pictures/.
  likelihoods?: (number | null)[];
  resolved_by?: string[];
  pictures?: string[];
}

export interface Doubts extends Stamped {
  doubts: Doubt[];
}

export interface Alarm extends Stamped {
  active: boolean;
  code: string | null;
  zh: string;
  en: string;
  advice_zh?: string[];
  advice_en?: string[];
  sides?: Seat[];
  since?: string | null;
}

export interface Correction {
  deal: number;
  hand_no: number;
  author: string;
  payments: number[];
  superseded: number[];
  difference: number[];
}

export interface Corrections extends Stamped {
  match_no: number;
  corrections: Correction[];
}

// Everything known, by the last level of its topic.
export interface State {
  table?: Table;
  scores?: Scores;
  hand?: Hand;
  settlement?: Settlement;
  doubt?: Doubts;
  alarm?: Alarm;
  ranking?: Ranking;
  corrections?: Corrections;
}

export const STAMPED_TOPICS = ["table", "scores", "hand", "settlement", "doubt", "alarm", "ranking", "corrections"] as const;
