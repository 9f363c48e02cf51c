import type { SeededRandom } from "../../../harness/seeded-random.ts";

/** What a receiver does with a request: a status, no word until the sender gives up, or the end of the connection. */
export type Reply = "204" | "500" | "hang" | "reset";

const replies = {
  answers: ["204"],
  refuses: ["500"],
  hangs: ["hang"],
  resets: ["reset"],
  // Mostly well, as receivers are.
  wavers: [...Array<Reply>(12).fill("204"), "500", "500", "hang", "reset"],
} as const satisfies Record<string, readonly Reply[]>;

/** What kind of receiver it is. */
export type Behaviour = keyof typeof replies;

/** The path of a URL at which the receiver behaves so; each store has its own. */
export function pathOf(behaviour: Behaviour, storeName: string): string {
  return `/${behaviour}/${storeName}`;
}

/** What to do with a request to a path; to one that is not known, refuse it. */
export function replyTo(path: string, random: SeededRandom): Reply {
  const behaviour = path.split("/")[1] ?? "";
  return Object.hasOwn(replies, behaviour) ? random.pick<Reply>(replies[behaviour as Behaviour]) : "500";
}
