// Sends what people touch to the controller, over HTTP on the page's own origin: it works while the broker is away.

export interface Answer {
  done: boolean;
  zh: string;
  en: string;
  changed?: string[];
  // What it was refused for the lack of.
  needs?: "pin" | "time" | "right" | null;
  // What the order would do, where it was only tried.
  tried?: Tried;
}

export interface HandChange {
  deal: number;
  hand_no: number;
  was: string;
  how: string;
  before: number[];
  after: number[];
}

export interface Tried {
  hands: HandChange[];
  balances: number[];
  after: number[];
}

const VALID_MS = 15_000;

let token = "";
let referee: ReadonlySet<string> = new Set();
let ask: () => Promise<unknown> = () => Promise.resolve();

// `pin`: the orders called `refereesWords` need the referee's PIN.
export function useToken(given: string | undefined, pin = false, refereesWords: readonly string[] = []): void {
  token = given ?? "";
  referee = new Set(pin ? refereesWords : []);
}

export function needsPin(verb: string): boolean {
  return referee.has(verb);
}

// How to ask for the token anew.
export function askTokenBy(asks: () => Promise<unknown>): void {
  ask = asks;
}

async function renewed(): Promise<boolean> {
  const before = token;
  await ask();
  return token !== before;
}

// Whether this controller takes orders at all.
export function takesOrders(): boolean {
  return token !== "";
}

// The same id goes out again when no answer came, so that nothing is carried out twice.
export async function send(verb: string, fields: Record<string, unknown>): Promise<Answer> {
  const id = `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
  const body = JSON.stringify({ verb, id, author: "display", ...fields });
  const until = Date.now() + VALID_MS;
  for (;;) {
    try {
      return await post(body);
    } catch (reason) {
      if (Date.now() > until) return { done: false, zh: "控制器没有回答，请再试", en: `no answer: ${String(reason)}` };
      await new Promise((again) => setTimeout(again, 1_000));
    }
  }
}

async function post(body: string): Promise<Answer> {
  const answer = await fetch("command", {
    method: "POST",
    headers: { "content-type": "application/json", "x-longzhuo-token": token },
    body,
    cache: "no-store",
    signal: AbortSignal.timeout(7_000),
  });
  const told = (await answer.json()) as Answer;
  // A controller that was started again knows no token of before: the same order goes out with a new one.
  if (answer.status === 403 && told.needs == null && (await renewed())) throw new Error("the controller was started again");
  return told;
}
