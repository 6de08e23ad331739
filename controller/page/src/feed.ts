// Receives the retained state over MQTT and says how far it can be trusted.
import mqtt, { type ErrorWithReasonCode, type MqttClient } from "mqtt";
import { forgetClock, hear } from "./countdown";
import { STAMPED_TOPICS, type State } from "./payloads";
import { Ages, type Topic } from "./ages";

// connecting: nothing heard yet; live: snapshots of a running controller; resumed: the way to the broker is back,
// but nothing new has come from the controller; offline: the controller said so (or its will did); stale: the broker
// or the controller has been silent for too long; refused: the broker does not let the page in as it signs in. All but
// "live" are shown as such.
export type Link = "connecting" | "live" | "resumed" | "offline" | "stale" | "refused";

export interface Config {
  mqtt: string;
  prefix: string;
  // Which run of the controller answers.
  run?: string;
  token?: string;
  // Whether the orders called `referee` need the referee's PIN.
  pin?: boolean;
  referee?: string[];
  // What the page signs in with where the broker asks: it may read what is shown, and nothing else.
  username?: string;
  password?: string;
}

export interface Feed {
  state: State;
  link: Link;
  // Topics that were told before the way to the broker broke, and not since.
  old: Topic[];
  // The topic that came live just now, not from the broker's memory; null where only the link has changed.
  news: Topic | null;
}

// The controller promises a next state/table within its heartbeat; twice that without a word is silence.
const DEFAULT_HEARTBEAT_S = 5;
const RECONNECT_MS = 1_000;
// A broker that says no is asked less often: each time stands in its log.
const REFUSED_MS = 3_000;
const KEEPALIVE_S = 15;
// MQTT 5 §3.2.2.2: bad user name or password, not authorized, banned, bad authentication method.
const NOT_LET_IN: readonly number[] = [0x86, 0x87, 0x8a, 0x8c];
const JUDGE_MS = 1_000;
// A flood of old messages must not become one of questions.
const ASK_MS = 1_000;

// Follows one table. `configured` is asked again whenever another controller may be there; where it is another run,
// that one's numbers begin anew.
export function follow(config: Config, configured: () => Promise<Config>, changed: (feed: Feed) => void): void {
  const feed: Feed = { state: {}, link: "connecting", old: [], news: null };
  const ages = new Ages();
  let run = config.run;
  let askedAt = -ASK_MS;
  let online = false;
  let refused = false;
  let asking = false;
  let client = connect();

  function tell(news: Topic | null): void {
    feed.old = ages.old();
    feed.news = news;
    changed(feed);
  }

  function judge(): void {
    const before = [feed.link, feed.old.length].join();
    feed.link = ages.link(feed.link, { connected: client.connected, online, refused, silence: silenceMs(feed.state) });
    feed.old = ages.old();
    if ([feed.link, feed.old.length].join() !== before) tell(null);
  }

  // Another controller may stand where the last one was: its numbers count from where they are.
  async function askAgain(): Promise<void> {
    if (asking) return;
    asking = true;
    await new Promise((then) => setTimeout(then, askedAt + ASK_MS - performance.now()));
    askedAt = performance.now();
    try {
      const now = await configured();
      const another = now.run !== run;
      run = now.run;
      if (another) ages.forget();
      if (signature(now) !== signature(config)) {
        config = now;
        refused = false;
        client.end(true);
        client = connect();
      } else if (another) {
        // Only a subscription that is new brings what the broker remembers.
        client.unsubscribe(`${config.prefix}/state/#`, subscribe);
      }
    } catch {
      // No answer: what is shown is as old as it is, and the link says so.
    } finally {
      asking = false;
    }
  }

  function subscribe(): void {
    client.subscribe(`${config.prefix}/state/#`, { qos: 1 });
  }

  function connect(): MqttClient {
    const { username, password } = config;
    const made = mqtt.connect(config.mqtt, {
      ...(username === undefined || password === undefined ? {} : { username, password }),
      protocolVersion: 5,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: RECONNECT_MS,
      reconnectOnConnackError: true,
      timerVariant: "native",
    });
    made.on("connect", () => {
      ages.connected();
      online = false;
      refused = false;
      made.options.reconnectPeriod = RECONNECT_MS;
      forgetClock();
      subscribe();
      if (feed.link !== "connecting") void askAgain();
      judge();
    });
    made.on("close", judge);
    // Its user or password may be put right meanwhile: then the table's computer tells others.
    made.on("error", (reason: Error | ErrorWithReasonCode) => {
      refused = "code" in reason && NOT_LET_IN.includes(reason.code);
      if (refused) {
        made.options.reconnectPeriod = REFUSED_MS;
        void askAgain();
      }
      judge();
    });
    made.on("message", (topic, payload, { retain }) => {
      const name = topic.slice(topic.lastIndexOf("/") + 1);
      if (name === "availability") {
        const back = payload.toString() === "online";
        if (back && !online && feed.link !== "connecting") void askAgain();
        online = back;
        judge();
        return;
      }
      const told = STAMPED_TOPICS.find((each) => each === name);
      if (told !== undefined && take(told, payload.toString(), retain)) {
        judge();
        tell(retain ? null : told);
      }
    });
    return made;
  }

  // Puts a payload in its place; false where it is to be ignored.
  function take(topic: Topic, text: string, retained: boolean): boolean {
    if (text === "") {
      delete feed.state[topic];
      ages.gone(topic);
      return true;
    }
    const value = parsed(topic, text);
    if (value === null) return false;
    if (!ages.takes(topic, value, retained)) {
      void askAgain();
      return false;
    }
    Object.assign(feed.state, { [topic]: value });
    hear(value["ts"]);
    return true;
  }

  // A page in the background is woken late: before anybody sees it, it judges and comes back by itself.
  const seenAgain = (): void => {
    if (document.visibilityState !== "visible") return;
    if (!client.connected) client.reconnect();
    judge();
  };
  document.addEventListener("visibilitychange", seenAgain);
  document.addEventListener("resume", seenAgain);
  setInterval(judge, JUDGE_MS);
  tell(null);
}

function signature({ mqtt, prefix, username, password }: Config): string {
  return JSON.stringify([mqtt, prefix, username, password]);
}

function silenceMs(state: State): number {
  return 2_000 * (state.table?.heartbeat || DEFAULT_HEARTBEAT_S);
}

function parsed(topic: Topic, text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    console.warn(`state/${topic} is not JSON and is not shown`);
  }
  return null;
}
