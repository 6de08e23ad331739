// Sends what people touch to the controller, over HTTP on the page's own origin: it works while the broker is away.

export interface Answer {
  done: boolean;
  zh: string;
  en: string;
}

const VALID_MS = 15_000;

let token = "";

export function useToken(given: string | undefined): void {
  token = given ?? "";
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
  // The controller was started again: what was shown came from another one, so begin anew.
  if (answer.status === 403) location.reload();
  return (await answer.json()) as Answer;
}
