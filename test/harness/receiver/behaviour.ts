import type { SeededRandom } from "../seeded-random.ts";

/** What a receiver does after a request: sends a status, never replies, or resets the connection. */
export type Reply = "204" | "500" | "hang" | "reset";

const replies = {
  answers: ["204"],
  refuses: ["500"],
  hangs: ["hang"],
  resets: ["reset"],
  // Mostly successful, like real receivers.
  wavers: [...Array<Reply>(12).fill("204"), "500", "500", "hang", "reset"],
} as const satisfies Record<string, readonly Reply[]>;

/** The kind of a receiver. */
export type Behaviour = keyof typeof replies;

/** Returns the path of a URL at which the receiver shows this behaviour. @param name distinguishes such URLs */
export function pathOf(behaviour: Behaviour, name: string): string {
  return `/${behaviour}/${name}`;
}

/** Chooses the reply to a request; `500` for an unknown path. */
export function replyTo(path: string, random: SeededRandom): Reply {
  const behaviour = path.split("/")[1] ?? "";
  return Object.hasOwn(replies, behaviour) ? random.pick<Reply>(replies[behaviour as Behaviour]) : "500";
}
