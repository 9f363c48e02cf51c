import type { Certificate } from "./certificate.ts";

// Bounds the entries of one certificate in the index. A certificate with ordinary texts has about a dozen words.
const wordsMax = 100;
const wordCharactersMax = 24;
const runCharactersMax = 8;

// Letters that no normalization form decomposes: ae, d, d, h, l, oe, o, the final sigma, th and t.
const plainLetters: Readonly<Record<string, string>> = {
  "\u00e6": "ae",
  "\u00f0": "d",
  "\u0111": "d",
  "\u0127": "h",
  "\u0142": "l",
  "\u0153": "oe",
  "\u00f8": "o",
  "\u03c2": "\u03c3",
  "\u00fe": "th",
  "\u0167": "t",
};
const specialLetter = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");

/**
 * Returns the words of a text as they are stored and searched for: without case, accents, and leading zeros of numbers.
 *
 * In scripts without spaces between words, such as Japanese, each run of letters yields one word if it is searched for,
 * and if it is stored, a word from each of its letters on. A search thus finds any part of a run.
 */
export function wordsIn(text: string, purpose: "store" | "search"): string[] {
  // Most texts are ASCII, for which this takes a third of the time.
  if (isAscii.test(text)) return (text.toLowerCase().match(/[a-z\d]+/g) ?? []).map(spacedWord);
  return (fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
    .flatMap((word) => word.match(runPattern) ?? [])
    .flatMap((word) => {
      if (!isRun.test(word)) return [spacedWord(word)];
      return purpose === "store" ? suffixesOf(word) : [start(word, runCharactersMax)];
    });
}

const isAscii = /^[\x20-\x7e]*$/;

function spacedWord(word: string): string {
  return start(word.startsWith("0") ? word.replace(/^0+(?=\d+$)/, "") : word, wordCharactersMax);
}

const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
const ofRun = `[${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join("")}]`;
const isRun = new RegExp(`^${ofRun}`, "v");
const runPattern = new RegExp(`${ofRun}+|(?:(?!${ofRun})[\\s\\S])+`, "gv");

function fold(text: string): string {
  const plain = text
    .toWellFormed()
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "");
  // JavaScript has no case folding. The capital sharp s has no other upper case, so it is lowered before the sharp s
  // becomes SS.
  const lower = plain.toLowerCase().toUpperCase().toLowerCase();
  return lower.replaceAll(specialLetter, (letter) => plainLetters[letter] ?? letter).normalize("NFC");
}

function suffixesOf(run: string): string[] {
  const letters = [...run];
  return letters.flatMap((letter, index) =>
    /\p{M}/u.test(letter) ? [] : letters.slice(index, index + runCharactersMax).join(""),
  );
}

/** Returns the first characters of a word, never half a surrogate pair. */
function start(word: string, charactersMax: number): string {
  return word.length <= charactersMax ? word : [...word].slice(0, charactersMax).join("");
}

/** Returns whether a word is a number: only the whole number matches it, not a beginning. */
export function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

/** Returns the word for a whole order name, such as `#1042` or `#eu-1042`; undefined if the name has no words. */
export function orderWord(name: string): string | undefined {
  const words = wordsIn(name, "search");
  return words.length === 0 ? undefined : start(`#${words.join("-")}`, wordCharactersMax);
}

/**
 * Returns the words by which merchants and operators find a certificate, sorted: its serial number, order, owner, the
 * local part of the owner's e-mail address, and product. A word that only begins another one is left out, because each
 * search for it also matches the other.
 */
export function searchWordsOf({
  serial,
  order,
  owner,
  product,
}: Pick<Certificate, "serial" | "order" | "owner" | "product">): string[] {
  const localPart = owner.email.slice(0, owner.email.lastIndexOf("@"));
  const texts = [owner.name, localPart, product.sku, product.title, product.variant];
  const words = new Set([
    String(serial),
    ...(order === null ? [] : wordsOfOrder(order.name)),
    ...texts.flatMap((text) => wordsIn(text, "store")),
    // O'Neill is found as "neill" and as "oneill".
    ...texts.filter((text) => inName.test(text)).flatMap((text) => wordsIn(text.replaceAll(inNames, ""), "store")),
  ]);
  const sorted = [...words].slice(0, wordsMax).sort();
  return sorted.filter((word, index) => isNumber(word) || !sorted[index + 1]?.startsWith(word));
}

const inName = /(?<=\p{L})['’](?=\p{L})/u;
const inNames = new RegExp(inName, "gu");

/** A number is searched for with and without `#`, so one word is enough for most orders. */
function wordsOfOrder(name: string): string[] {
  const words = wordsIn(name, "store");
  const whole = orderWord(name);
  return [...(whole === undefined ? [] : [whole]), ...(words.every(isNumber) && words.length === 1 ? [] : words)];
}
