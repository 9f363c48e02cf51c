import { z } from "zod";
import { ServiceError } from "#shared/errors/service-error.ts";
import { allStores, type OperatorEntry, operatorEntry } from "#shared/operators/operator-entry.ts";
import { isOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { parseJson } from "#shared/text/parse-json.ts";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const words = ["admin", "changeme", "operator", "password", "root", "secret", "test", "token"];

let weakHashes: ReadonlySet<string> | undefined;

/**
 * Returns whether a hash in the operators' file belongs to a token that is quickly guessed: the empty string, one or
 * two printable characters, or a common word. The hash of any other weak token cannot be recognized, but such a token
 * is never accepted, because it does not have the format of the tokens of `certctl operator create`.
 */
function isWeakTokenHash(hash: string): boolean {
  // About 9,000 hashes, computed only if the operator API is on.
  weakHashes ??= new Set(
    ["", ...printable, ...printable.flatMap((first) => printable.map((second) => first + second)), ...words].map(
      operatorTokenHash,
    ),
  );
  return weakHashes.has(hash);
}

/** The entries of the operators' file, by the SHA-256 of their tokens in hexadecimal digits. */
export type Operators = ReadonlyMap<string, OperatorEntry>;

/**
 * Parses an operators' file: a JSON array of {@link OperatorEntry}. An operator may have several entries, each with a
 * token of its own, so that a token can be replaced without downtime.
 *
 * @throws Error for invalid JSON, JSON that does not match the schema, a token known to be weak, or a token that occurs
 * twice; the message contains no value from the file
 */
export function parseOperators(text: string): Operators {
  const json = parseJson(text);
  // The parser's own message would quote the file.
  if (json === undefined) throw new Error("is not valid JSON");
  const parsed = z.array(operatorEntry).safeParse(json);
  if (!parsed.success) throw new Error(`is invalid: ${z.prettifyError(parsed.error)}`);
  const operators = new Map<string, OperatorEntry>();
  parsed.data.forEach((entry, index) => {
    const { token_sha256: hash } = entry;
    if (isWeakTokenHash(hash))
      throw new Error(`has a weak token in entry ${index + 1}. Create a token with 'certctl operator create'`);
    if (operators.has(hash)) throw new Error(`has the same token in entry ${index + 1} as in an earlier entry`);
    operators.set(hash, entry);
  });
  return operators;
}

/**
 * Returns the operator that sent a request.
 *
 * @param authorization the request's `Authorization` header
 * @throws ServiceError `unauthorized` for a token that is missing or unknown
 */
export function authenticate(operators: Operators, authorization: string | undefined): OperatorEntry {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new ServiceError("unauthorized", "Send a token as 'Authorization: Bearer <token>'.");
  // A caller cannot choose the hash of a token, so the duration of the look-up reveals nothing about other tokens.
  const operator = isOperatorToken(token) ? operators.get(operatorTokenHash(token)) : undefined;
  if (operator === undefined) throw new ServiceError("unauthorized", "The token is unknown. Check the token.");
  return operator;
}

/** Returns whether the operator's rights extend to all stores. */
export function mayUseAllStores({ stores }: OperatorEntry): boolean {
  return stores.includes(allStores);
}
