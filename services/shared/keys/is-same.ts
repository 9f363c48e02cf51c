import { timingSafeEqual } from "node:crypto";

/** Returns whether two signatures are equal, in a time that does not depend on where they differ. */
export function isSame(one: string | Buffer, other: string | Buffer): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}
