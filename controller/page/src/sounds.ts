// Tones that the page makes itself, and a voice where the device has one. Off until somebody switches them on.
import { remember, remembered } from "./kept";
import { language } from "./language";
import type { News } from "./news";

export type Loudness = "off" | "tones" | "voice";
const STEPS: readonly Loudness[] = ["off", "tones", "voice"];

interface Tone {
  hertz: number;
  at: number;
  for: number;
}

// By what has happened: tones one after the other, in seconds.
const TONES: Record<string, Tone[]> = {
  discard: [{ hertz: 880, at: 0, for: 0.06 }],
  meld: [{ hertz: 523, at: 0, for: 0.12 }, { hertz: 784, at: 0.11, for: 0.18 }],
  dragon: [{ hertz: 392, at: 0, for: 0.16 }, { hertz: 523, at: 0.15, for: 0.16 }, { hertz: 784, at: 0.3, for: 0.4 }],
  won: [{ hertz: 523, at: 0, for: 0.14 }, { hertz: 659, at: 0.13, for: 0.14 }, { hertz: 784, at: 0.26, for: 0.14 }, { hertz: 1047, at: 0.39, for: 0.5 }],
  drawn: [{ hertz: 392, at: 0, for: 0.2 }, { hertz: 330, at: 0.2, for: 0.3 }],
};
const SPOKEN: Record<string, [string, string]> = {
  dragon: ["龙", "dragon"],
  chi: ["吃", "chi"],
  peng: ["碰", "peng"],
  kong: ["杠", "kong"],
  added_kong: ["杠", "kong"],
  concealed_kong: ["杠", "kong"],
  won: ["胡", "win"],
};

let loudness: Loudness = STEPS.find((each) => each === remembered("sounds")) ?? "off";
let context: AudioContext | null = null;

export function howLoud(): Loudness {
  return loudness;
}

// A browser lets a page sound only after a touch: this is called by one.
export function nextLoudness(): void {
  loudness = STEPS[(STEPS.indexOf(loudness) + 1) % STEPS.length] ?? "off";
  remember("sounds", loudness);
  if (loudness !== "off") sound({ kind: "discard", tile: "" });
}

export function sound(news: News): void {
  if (loudness === "off") return;
  play(TONES[news.kind] ?? []);
  const said = SPOKEN[news.kind === "meld" ? news.meld.kind : news.kind];
  if (loudness === "voice" && said !== undefined) speak(said);
}

function play(tones: Tone[]): void {
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const tone of tones) strike(context, tone);
  } catch {
    // A device without sound stays silent.
  }
}

function strike(on: AudioContext, { hertz, at, for: length }: Tone): void {
  const [voice, volume] = [on.createOscillator(), on.createGain()];
  const start = on.currentTime + at;
  voice.type = "triangle";
  voice.frequency.value = hertz;
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.25, start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  voice.connect(volume).connect(on.destination);
  voice.start(start);
  voice.stop(start + length);
}

function speak([zh, en]: [string, string]): void {
  const english = language() === "en";
  const voice = globalThis.speechSynthesis?.getVoices().find((each) => each.lang.startsWith(english ? "en" : "zh"));
  if (voice === undefined) return;
  const said = new SpeechSynthesisUtterance(english ? en : zh);
  said.voice = voice;
  said.lang = voice.lang;
  speechSynthesis.speak(said);
}
