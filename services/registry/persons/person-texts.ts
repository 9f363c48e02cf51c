import { emailKey } from "#shared/email/email-address.ts";
import { parseJson } from "#shared/text/parse-json.ts";
import type { Person } from "../certificates/certificate.ts";
import { requestedByOf } from "../outbox/requested-by.ts";

/**
 * Placeholder for an erased person. The public JSON has no null persons, so these are valid values; the domain cannot
 * receive mail (RFC 2606).
 */
export const erasedPerson: Person = { name: "Erased person", email: "erased@erased.invalid" };

/** Placeholder for a mention of an erased person in a text. */
export const erasedText = "[erased]";

/** Finds and erases mentions of one person, or of all persons, in text. */
export interface PersonTexts {
  /** Returns whether this person must be erased. */
  isPerson(person: Person): boolean;
  /** Returns whether a text mentions the person. */
  isMentionedIn(text: string): boolean;
  /** Returns whether bytes that contain JSON, such as an encoded event, mention the person. */
  isMentionedInBytes(bytes: Uint8Array): boolean;
  /** Replaces each mention of the person in a text. */
  eraseFrom(text: string): string;
  /** Replaces the person in a JSON document, including JSON documents nested in its strings. */
  eraseFromJson(json: string): string;
  /** Returns the names under which the person appears in a JSON document. */
  namesIn(json: string): readonly string[];
  /** Returns the same person, who is also mentioned by these names. Only for texts that belong to this person. */
  named(names: readonly string[]): PersonTexts;
}

/**
 * Finds the person whose e-mail address has the same {@link emailKey} as `email`. Others may share the person's names:
 * pass names only for text that belongs to one of the person's certificates.
 */
export function personTexts(email: string, names: readonly string[] = []): PersonTexts {
  const key = emailKey(email);
  return textsAbout(
    (person) => emailKey(person.email) === key,
    addressPattern(RegExp.escape(email.normalize("NFC"))),
    names,
  );
}

/** Finds all persons who have not been erased yet; used to erase every customer of a store. */
export function everyonesTexts(names: readonly string[] = []): PersonTexts {
  const erasedKey = emailKey(erasedPerson.email);
  return textsAbout((person) => emailKey(person.email) !== erasedKey, anyAddress, names);
}

function textsAbout(isPerson: PersonTexts["isPerson"], address: string, names: readonly string[]): PersonTexts {
  const mention = mentionPattern(address, names);
  const isMentionedIn = (text: string) => text.normalize("NFC").search(mention) >= 0;
  const isMentionedInBytes = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString();
    // JSON escapes the quotation marks of a quoted local part. In an encoded event, a letter can follow a requester's
    // name: the tag of the next field.
    const texts = [text, text.replaceAll(/\\(["\\])/g, "$1"), requestedByOf(bytes)];
    return texts.some(isMentionedIn);
  };
  const eraseFrom = (text: string) =>
    isMentionedIn(text) ? text.normalize("NFC").replaceAll(mention, erasedText) : text;
  const eraseFromValue = (value: unknown): unknown => {
    if (typeof value === "string") return isDocument(value) ? eraseFromJson(value) : eraseFrom(value);
    if (Array.isArray(value)) return value.map(eraseFromValue);
    if (typeof value !== "object" || value === null) return value;
    if (isPersonDocument(value) && isPerson(value))
      return { ...value, ...erasedPerson, ...("customerId" in value && { customerId: "" }) };
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eraseFromValue(member)]));
  };
  const eraseFromJson = (json: string) => {
    const before = parseJson(json);
    const after = eraseFromValue(before);
    return JSON.stringify(before) === JSON.stringify(after) ? json : JSON.stringify(after);
  };
  const namesOf = (value: unknown): readonly string[] => {
    if (typeof value === "string") return isDocument(value) ? namesIn(value) : [];
    if (typeof value !== "object" || value === null) return [];
    const own = isPersonDocument(value) && isPerson(value) ? [value.name] : [];
    return [...own, ...Object.values(value).flatMap(namesOf)];
  };
  const namesIn = (json: string) => namesOf(parseJson(json));
  const named = (more: readonly string[]) => textsAbout(isPerson, address, [...names, ...more]);
  return { isPerson, isMentionedIn, isMentionedInBytes, eraseFrom, eraseFromJson, namesIn, named };
}

// A mention is a whole address or name: `ada@example.com` is not mentioned in `nada@example.com`, nor `Al` in `also`.
function addressPattern(address: string): string {
  return `(?<![\\p{L}\\p{N}._%+-])${address}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`;
}

const anyAddress = addressPattern(
  `(?!${RegExp.escape(erasedPerson.email)})[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+`,
);

function mentionPattern(address: string, names: readonly string[]): RegExp {
  const words = names
    .map((name) => name.normalize("NFC").trim())
    .filter((name) => name !== "" && name !== erasedPerson.name)
    .map((name) => `(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`);
  return new RegExp([address, ...words].join("|"), "giu");
}

function isPersonDocument(value: object): value is Person {
  return "email" in value && typeof value.email === "string" && "name" in value && typeof value.name === "string";
}

function isDocument(text: string): boolean {
  return /^[{["]/.test(text) && parseJson(text) !== undefined;
}
