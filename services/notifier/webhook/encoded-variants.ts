type Encoder = (text: string) => string;

const upperEscapes: Encoder = (text) => text.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
const lowerEscapes: Encoder = (text) => text.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toLowerCase());

const percent: Encoder = (text) => encodeURIComponent(text.toWellFormed());
/** Percent-encodes as RFC 3986 specifies; encodeURIComponent leaves some reserved characters unescaped. */
const strictPercent: Encoder = (text) =>
  percent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
const formPercent: Encoder = (text) => strictPercent(text).replaceAll("%20", "+");

const json: Encoder = (text) => JSON.stringify(text).slice(1, -1);
const asUnit: Encoder = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const upperUnits: Encoder = (text) => text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
const slashes: Encoder = (text) => text.replaceAll("/", "\\/");
const asciiJson: Encoder = (text) => json(text).replace(/[^\0-\x7f]/g, asUnit);
const markupSafeJson: Encoder = (text) => json(text).replace(/[&<>']/g, asUnit);
const jsonEncoders: readonly Encoder[] = [json, asciiJson, markupSafeJson].flatMap((encode) => [
  encode,
  (text) => upperUnits(encode(text)),
  (text) => slashes(encode(text)),
  (text) => slashes(upperUnits(encode(text))),
]);

const html =
  (quote: string, apostrophe: string): Encoder =>
  (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe);
const apostrophes = ["'", "&#39;", "&#039;", "&#x27;", "&apos;"];
const htmlEncoders = ['"', "&quot;", "&#34;"].flatMap((quote) =>
  apostrophes.map((apostrophe) => html(quote, apostrophe)),
);

const percentEncoders = [upperEscapes, lowerEscapes, percent, strictPercent, formPercent].flatMap((encode) => [
  encode,
  (text: string) => lowerEscapes(encode(text)),
]);

/** The encoders, grouped by the character that starts their escapes. */
const encodersByMark: readonly (readonly [mark: string, encoders: readonly Encoder[]])[] = [
  ["%", percentEncoders],
  ["+", [formPercent]],
  ["\\", jsonEncoders],
  ["&", htmlEncoders],
];

/**
 * Returns the forms in which a page may contain a string: unchanged, percent-encoded (with escapes in upper or lower
 * case), form-encoded, as JSON written by common libraries, and as HTML. Omits forms whose escape character does not
 * occur in the page.
 */
export function encodedVariants(text: string, page: string): string[] {
  if (/^[\w.~-]*$/.test(text)) return [text];
  const encoders = encodersByMark.flatMap(([mark, ofMark]) => (page.includes(mark) ? ofMark : []));
  return [...new Set([text, ...encoders.map((encode) => encode(text))])];
}
