import { expect, test } from "vitest";
import { parseSearch } from "./parse-search.ts";
import { searchWordsOf, wordsIn } from "./search-words.ts";

test.each<[string, readonly string[]]>([
  ["Grace Hopper", ["grace", "hopper"]],
  ["Élodie", ["elodie"]],
  ["E\u0301LODIE", ["elodie"]],
  ["STRASSE Straße STRAẞE", ["strasse", "strasse", "strasse"]],
  ["İstanbul ISPARTA ısı", ["istanbul", "isparta", "isi"]],
  ["Łukasz Ørsted Đorđe Þór", ["lukasz", "orsted", "dorde", "thor"]],
  ["Œuvre Ærø", ["oeuvre", "aero"]],
  ["ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]],
  ["Ёлка Йод", ["елка", "иод"]],
  ["ﬁne Ｖａｓｅ ﾎﾞﾄﾙ", ["fine", "vase", "ボトル"]],
  ["WAL-AZ-01", ["wal", "az", "1"]],
  ["000123 0 007", ["123", "0", "7"]],
  ["🙂 Kite🎏Season ✨", ["kite", "season"]],
  ["한국어 도자기", ["한국어", "도자기"]],
  ["राम कुमार", ["राम", "कुमार"]],
  ["iPhone15用ケース", ["iphone15", "用ケース"]],
  ["Donaudampfschifffahrtsgesellschaft", ["donaudampfschifffahrtsge"]],
  ["\ud800x", ["x"]],
  [" – / ", []],
  ["", []],
])("the words of %j are %j", (text, words) => {
  expect(wordsIn(text, "search")).toEqual(words);
});

test("text in a script without spaces is stored from each of its letters on, so that any part of it is found", () => {
  expect(wordsIn("青い花瓶 限定版", "store")).toEqual(["青い花瓶", "い花瓶", "花瓶", "瓶", "限定版", "定版", "版"]);
  expect(wordsIn("ギャラリー花瓶コレクション", "store")).toContain("花瓶コレクション".slice(0, 8));
});

const certificate = {
  serial: 42,
  order: { id: "1", name: "#1042" },
  owner: { name: "Grace O’Hopper", email: "Grace.Hopper+x@example.com" },
  product: { id: "7001", title: "Double Vase Walnut", variant: "Large / Blue", sku: "WAL-AZ-01" },
};

test("stores the words of serial number, order, owner and product, without beginnings of other words", () => {
  expect(searchWordsOf(certificate)).toEqual([
    "#1042",
    "1",
    "42",
    "az",
    "blue",
    "double",
    "grace",
    "hopper",
    "large",
    "ohopper",
    "vase",
    "walnut",
    "x",
  ]);
});

test("stores an order that is more than a number also as words", () => {
  const words = searchWordsOf({ ...certificate, order: { id: "1", name: "#EU-1042" } });
  expect(words).toEqual(expect.arrayContaining(["#eu-1042", "eu", "1042"]));
});

test("bounds the number of words; those of order and owner come first", () => {
  const title = Array.from({ length: 125 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(" ");
  const words = searchWordsOf({ ...certificate, product: { ...certificate.product, title, variant: title } });
  expect(words.length).toBeLessThanOrEqual(100);
  expect(words).toEqual(expect.arrayContaining(["#1042", "42", "grace", "hopper", "wal"]));
});

test.each([
  { title: "Kite Season, No. 3 — 日本語版「凧の季節」", variant: "A2 / Hahnemühle 308 g", sku: "KS-003/A2" },
  { title: "Żółta gęś 10×10 cm™", variant: "№ 7", sku: "ŻG_0010.b" },
  { title: "L’Été à l’Île d’Yeu", variant: "Grand · Bleu", sku: "ete0042" },
  { title: "花瓶コレクション2026年限定エディション特別版", variant: "大", sku: "VASE2026大" },
  { title: "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich", variant: "XXL", sku: "12-0000-12" },
])("no word of $title is lost", (product) => {
  const given = { ...certificate, product: { id: "1", ...product } };
  const stored = searchWordsOf(given);
  const { owner, order } = given;
  const texts = [product.title, product.variant, product.sku, owner.name, owner.email, order.name, "000042"];
  for (const part of texts.flatMap((text) => text.split(" ")))
    for (const word of parseSearch(part)?.words ?? []) {
      const matches = (one: string) => (word.kind === "is" ? word.anyOf.includes(one) : one.startsWith(word.text));
      expect(stored.some(matches), `${part} in ${stored}`).toBe(true);
    }
});

const begins = (...texts: string[]) => texts.map((text) => ({ kind: "begins", text }));
const number = (digits: string) => ({ kind: "is", anyOf: [digits, `#${digits}`] });

test.each<[string, ReturnType<typeof parseSearch> | object]>([
  ["Grace", { words: begins("grace"), emailStarts: [] }],
  ["grace@", { words: begins("grace"), emailStarts: ["grace@"] }],
  ["Vase <Ada@Example.com>,", { words: begins("vase", "ada"), emailStarts: ["ada@example.com"] }],
  ["@example.com", { words: begins("example", "com"), emailStarts: [] }],
  ["1042", { words: [number("1042")], emailStarts: [] }],
  ["000042", { words: [number("42")], emailStarts: [] }],
  ["#1042", { words: [{ kind: "is", anyOf: ["#1042"] }], emailStarts: [] }],
  ["#EU-", { words: begins("#eu"), emailStarts: [] }],
  ["WAL-AZ", { words: begins("wal", "az"), emailStarts: [] }],
  ["ada o'neill", { words: begins("neill", "ada", "o"), emailStarts: [] }],
  ["🙂 #", undefined],
  ["  ", undefined],
])("a search for %j requires %j", (text, search) => {
  expect(parseSearch(text)).toEqual(search);
});

test("counts the first 16 words of a search, and refuses a longer text than any value has", () => {
  expect(parseSearch("x ".repeat(127))?.words).toHaveLength(16);
  expect(() => parseSearch("x".repeat(256))).toThrow("search");
});
