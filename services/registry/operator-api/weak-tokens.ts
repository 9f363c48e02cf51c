import { operatorTokenHash } from "#shared/operators/operator-token.ts";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const words = ["admin", "changeme", "operator", "password", "root", "secret", "test", "token"];

let weakHashes: ReadonlySet<string> | undefined;

/**
 * Returns whether a hash in the operators' file belongs to a token that is quickly guessed: the empty string, one or
 * two printable characters, or a common word. The hash of any other weak token cannot be recognized, but such a token
 * is never accepted, because it does not have the format of the tokens of `certctl operator create`.
 */
export function isWeakTokenHash(hash: string): boolean {
  // About 9,000 hashes, computed only if the operator API is on.
  weakHashes ??= new Set(
    ["", ...printable, ...printable.flatMap((first) => printable.map((second) => first + second)), ...words].map(
      operatorTokenHash,
    ),
  );
  return weakHashes.has(hash);
}
