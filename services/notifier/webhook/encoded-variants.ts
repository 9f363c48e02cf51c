/** How a text is written somewhere. */
type Writer = (text: string) => string;

const upperEscapes: Writer = (text) => text.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
const lowerEscapes: Writer = (text) => text.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toLowerCase());

const percent: Writer = (text) => encodeURIComponent(text.toWellFormed());
/** As RFC 3986 has it; JavaScript leaves some of its reserved characters. */
const strictPercent: Writer = (text) =>
  percent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
const formPercent: Writer = (text) => strictPercent(text).replaceAll("%20", "+");

const json: Writer = (text) => JSON.stringify(text).slice(1, -1);
const asUnit: Writer = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const upperUnits: Writer = (text) =>
  text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
const slashes: Writer = (text) => text.replaceAll("/", "\\/");
const asciiJson: Writer = (text) => json(text).replace(/[^\0-\x7f]/g, asUnit);
const markupSafeJson: Writer = (text) => json(text).replace(/[&<>']/g, asUnit);
const jsonWriters: readonly Writer[] = [json, asciiJson, markupSafeJson].flatMap((write) => [
  write,
  (text) => upperUnits(write(text)),
  (text) => slashes(write(text)),
  (text) => slashes(upperUnits(write(text))),
]);

const html =
  (quote: string, apostrophe: string): Writer =>
  (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe);
const apostrophes = ["'", "&#39;", "&#039;", "&#x27;", "&apos;"];
const htmlWriters = ['"', "&quot;", "&#34;"].flatMap((quote) =>
  apostrophes.map((apostrophe) => html(quote, apostrophe)),
);

const percentWriters = [upperEscapes, lowerEscapes, percent, strictPercent, formPercent].flatMap((write) => [
  write,
  (text: string) => lowerEscapes(write(text)),
]);

/** By the character that makes an escape. */
const writersByMark: readonly (readonly [mark: string, writers: readonly Writer[]])[] = [
  ["%", percentWriters],
  ["+", [formPercent]],
  ["\\", jsonWriters],
  ["&", htmlWriters],
];

/**
 * The forms in which a page may print a text: as it is, in URLs and HTML forms (escapes in either letter case), in JSON
 * as the usual libraries write it, and in HTML. Those whose escapes the page has not are left out: most pages have none.
 */
export function encodedVariants(text: string, page: string): string[] {
  if (/^[\w.~-]*$/.test(text)) return [text];
  const writers = writersByMark.flatMap(([mark, some]) => (page.includes(mark) ? some : []));
  return [...new Set([text, ...writers.map((write) => write(text))])];
}
