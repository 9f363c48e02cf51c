import type { SeededRandom } from "../seeded-random.ts";

/** Reaction to a request: send a status, never respond, or reset the connection. */
export type Reply = "204" | "500" | "hang" | "reset";

const replies = {
  answers: ["204"],
  refuses: ["500"],
  hangs: ["hang"],
  resets: ["reset"],
  // Mostly successful, like real receivers.
  wavers: [...Array<Reply>(12).fill("204"), "500", "500", "hang", "reset"],
} as const satisfies Record<string, readonly Reply[]>;

/** How a receiver reacts to requests to one URL; `wavers` chooses a reaction at random for each request. */
export type Behaviour = keyof typeof replies;

/** Returns the URL path for a behaviour. @param name distinguishes URLs with the same behaviour */
export function pathOf(behaviour: Behaviour, name: string): string {
  return `/${behaviour}/${name}`;
}

/** Chooses the reaction to a request; `500` for an unknown path. */
export function replyTo(path: string, random: SeededRandom): Reply {
  const behaviour = path.split("/")[1] ?? "";
  return Object.hasOwn(replies, behaviour) ? random.pick<Reply>(replies[behaviour as Behaviour]) : "500";
}
