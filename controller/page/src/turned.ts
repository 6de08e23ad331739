// Whether each side of the table reads its own place upright, or all of it is upright to one viewer.
import { remember, remembered } from "./kept";

let turned = remembered("turned") === "true";

export function isTurned(): boolean {
  return turned;
}

export function turnRound(): void {
  turned = !turned;
  remember("turned", String(turned));
}
