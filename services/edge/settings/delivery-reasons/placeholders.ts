import { formatNumber } from "../../pages/messages/format.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { addressKindName } from "./address-kinds.ts";

/** The values found in a part of a reason, by placeholder. An optional value that is missing is undefined. */
export type PlaceholderValues = Readonly<Record<string, string | undefined>>;

interface Placeholder {
  /** Pattern of the English text in place of the placeholder. The group of the same name captures the value. */
  readonly pattern: string;
  /** Renders a value in the given language; not called if an optional value is missing. */
  readonly format: (value: string, language: Language) => string;
}

const unchanged = (value: string) => value;

const placeholders: Readonly<Record<string, Placeholder>> = {
  // An error code or a version in parentheses, with the space before it; optional.
  code: {
    pattern: String.raw`(?: \((?<code>[\w/]{1,64})\))?`,
    format: (value, language) => (language === "ja" ? `（${value}）` : ` (${value})`),
  },
  seconds: {
    pattern: String.raw`(?<seconds>\d+(?:\.\d+)?) seconds?`,
    format: (value, language) => duration(Number(value), "second", language),
  },
  days: {
    pattern: String.raw`(?<days>\d+) days`,
    format: (value, language) => duration(Number(value), "day", language),
  },
  kibibytes: {
    pattern: String.raw`(?<kibibytes>\d+)`,
    format: (value, language) => formatNumber(Number(value), language),
  },
  status: { pattern: String.raw`(?<status>\d{3})`, format: unchanged },
  port: { pattern: String.raw`(?<port>\d+)`, format: unchanged },
  domain: { pattern: String.raw`(?<domain>[\w.-]+)`, format: unchanged },
  address: { pattern: String.raw`(?<address>[\w -]+)`, format: addressKindName },
};

/** Returns a pattern that matches an English text from beginning to end, with a value in place of each placeholder. */
export function patternOf(text: string): RegExp {
  const words = text.split(/\{(\w+)\}/);
  // The elements at odd indexes are the names of placeholders.
  const patterns = words.map((word, index) => (index % 2 === 0 ? RegExp.escape(word) : placeholder(word).pattern));
  return new RegExp(`^${patterns.join("")}$`);
}

/** Replaces each placeholder with its value in the given language, or with nothing if the value is missing. */
export function fillPlaceholders(text: string, values: PlaceholderValues, language: Language): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return value === undefined ? "" : placeholder(name).format(value, language);
  });
}

function placeholder(name: string): Placeholder {
  const known = placeholders[name];
  if (known === undefined) throw new Error(`unknown placeholder ${name}`);
  return known;
}

function duration(value: number, unit: "second" | "day", language: Language): string {
  const text = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
  return language === "ja" ? text.replaceAll(" ", "") : text;
}
