// Receives the retained state over MQTT and says how far it can be trusted.
import mqtt from "mqtt";
import { forgetClock, hear } from "./countdown";
import { STAMPED_TOPICS, type State } from "./payloads";

// connecting: nothing heard yet; live: snapshots of a running controller; offline: the controller said so (or its
// will did); stale: the broker or the controller has been silent for too long. All but "live" are shown as such.
export type Link = "connecting" | "live" | "offline" | "stale";

// The controller promises a next state/table within its heartbeat; twice that without a word is silence.
const DEFAULT_HEARTBEAT_S = 5;
const RECONNECT_MS = 1_000;
const KEEPALIVE_S = 15;

export interface Feed {
  state: State;
  link: Link;
}

// What the page signs in with where the broker asks: it may read what is shown, and nothing else.
export interface SignIn {
  username?: string;
  password?: string;
}

export function follow(url: string, prefix: string, signIn: SignIn, changed: (feed: Feed) => void): void {
  const feed: Feed = { state: {}, link: "connecting" };
  let online = false;
  let heardAt = 0;
  let tableHeard = false;
  const client = mqtt.connect(url, {
    ...signIn,
    protocolVersion: 5,
    keepalive: KEEPALIVE_S,
    reconnectPeriod: RECONNECT_MS,
    timerVariant: "native",
  });

  const judge = (): void => {
    const before = feed.link;
    if (!client.connected) feed.link = tableHeard || before !== "connecting" ? "stale" : "connecting";
    else if (!tableHeard) feed.link = before === "connecting" ? "connecting" : "stale";
    else if (!online) feed.link = "offline";
    else feed.link = performance.now() - heardAt > silenceMs(feed.state) ? "stale" : "live";
    if (feed.link !== before) changed(feed);
  };

  client.on("connect", () => {
    // What was shown before the break counts again only once the controller's snapshot has come.
    tableHeard = false;
    online = false;
    forgetClock();
    client.subscribe(`${prefix}/state/#`, { qos: 1 });
    judge();
  });
  client.on("close", judge);
  client.on("message", (topic, payload) => {
    heardAt = performance.now();
    const name = topic.slice(topic.lastIndexOf("/") + 1);
    if (name === "availability") online = payload.toString() === "online";
    else take(feed.state, name, payload.toString());
    if (name === "table") tableHeard = true;
    judge();
    changed(feed);
  });
  setInterval(judge, 1_000);
  changed(feed);
}

function silenceMs(state: State): number {
  return 2_000 * (state.table?.heartbeat || DEFAULT_HEARTBEAT_S);
}

function take(state: State, name: string, text: string): void {
  const known = STAMPED_TOPICS.find((topic) => topic === name);
  if (known === undefined) return;
  if (text === "") {
    delete state[known];
    return;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(state, { [known]: value });
      hear((value as { ts?: unknown }).ts);
    }
  } catch {
    console.warn(`state/${name} is not JSON and is not shown`);
  }
}
