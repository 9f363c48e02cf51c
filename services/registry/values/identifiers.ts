import { randomBytesOf } from "#shared/keys/random-bytes.ts";
import { idAlphabet, idText } from "#shared/text/id-alphabet.ts";

const idLength = 24;
const linkTokenLength = 26;

/** Returns a random id: the prefix, `_` and 24 characters (120 bits), safe in URLs, NATS subjects and file names. */
export function newId(
  prefix: "crt" | "evt" | "tst" | "agn" | "sto" | "key" | "smp" | "rep" | "adm" | "chg" | "lgo" | "imp" | "trg" | "lst",
): string {
  return `${prefix}_${randomText(idLength)}`;
}

/** Returns a new secret for a verification link: 26 characters of the alphabet of ids (130 bits), without a prefix. */
export function newLinkToken(): string {
  return randomText(linkTokenLength);
}

const epochLength = 12;

/** Returns a new epoch of the feed. Random, because a counter would repeat if the same backup were restored twice. */
export function newEpoch(): string {
  return randomText(epochLength);
}

const linkTokenPattern = new RegExp(`^[${idAlphabet}]{${linkTokenLength}}$`);

/** Returns whether a string has the form of a link token. */
export function isLinkToken(text: string): boolean {
  return linkTokenPattern.test(text);
}

function randomText(length: number): string {
  return idText(randomBytesOf(length));
}
