// How old each topic is: by the numbers of its payloads, and by whether it has come since the way to the broker broke.
import type { Link } from "./feed";
import type { STAMPED_TOPICS } from "./payloads";

export type Topic = (typeof STAMPED_TOPICS)[number];

interface Stamp {
  boot: number;
  seq: number;
}

interface Circumstances {
  connected: boolean;
  online: boolean;
  // Whether the broker has said that it does not let the page in.
  refused: boolean;
  silence: number;
}

export class Ages {
  private readonly stamps = new Map<Topic, Stamp>();
  private readonly fresh = new Set<Topic>();
  private heardAt = 0;
  private heardOn = 0;
  // Whether this way to the broker is not the first, and something has come from a running controller since.
  private again = false;
  private confirmed = false;

  connected(): void {
    this.again = this.stamps.size > 0;
    this.confirmed = false;
    this.fresh.clear();
  }

  // Whether a payload is at least as new as what is known of its topic; one that is older is to be ignored.
  takes(topic: Topic, payload: Record<string, unknown>, retained: boolean): boolean {
    const [stamp, known] = [stampOf(payload), this.stamps.get(topic)];
    const order = known === undefined ? 1 : stamp.boot - known.boot || stamp.seq - known.seq;
    if (order < 0) return false;
    this.stamps.set(topic, stamp);
    this.fresh.add(topic);
    this.heardAt = performance.now();
    this.heardOn = Date.now();
    if (topic === "table" && (!retained || !this.again || order > 0)) this.confirmed = true;
    return true;
  }

  gone(topic: Topic): void {
    this.stamps.delete(topic);
    this.fresh.delete(topic);
  }

  // Another controller: its numbers have nothing to do with those before, and nothing of before is fresh.
  forget(): void {
    for (const topic of this.stamps.keys()) this.stamps.set(topic, { boot: -1, seq: -1 });
    this.fresh.clear();
    this.confirmed = false;
    this.again = true;
  }

  old(): Topic[] {
    return [...this.stamps.keys()].filter((topic) => !this.fresh.has(topic));
  }

  link(before: Link, { connected, online, refused, silence }: Circumstances): Link {
    const begun = before !== "connecting" && (before !== "refused" || this.stamps.size > 0);
    if (!connected && refused) return "refused";
    if (!connected) return this.stamps.size > 0 || begun ? "stale" : "connecting";
    if (!this.fresh.has("table")) return begun ? "stale" : "connecting";
    if (!online) return "offline";
    // A computer that slept has two clocks that differ: the greater silence counts.
    const silent = Math.max(performance.now() - this.heardAt, Date.now() - this.heardOn);
    if (silent > silence) return "stale";
    return this.confirmed ? "live" : "resumed";
  }
}

function stampOf({ boot, seq }: Record<string, unknown>): Stamp {
  return { boot: typeof boot === "number" ? boot : 0, seq: typeof seq === "number" ? seq : 0 };
}
