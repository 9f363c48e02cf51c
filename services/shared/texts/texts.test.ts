import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { receivedText, textsFor } from "./texts.ts";

test("returns the text in the language", () => {
  expect(textsFor("en")("settings.keys.roll")).toBe("Replace key");
  expect(textsFor("ja")("settings.keys.roll")).toBe("キーを交換");
});

test("writes numbers as the language does", () => {
  const counts = (["en", "de", "ja"] as const).map((tag) =>
    textsFor(tag)("settings.triggers.waiting", { count: 4000 }),
  );
  expect(counts).toEqual(["Waiting: 4,000", "Wartend: 4.000", "送信待ち：4,000件"]);
});

test("inserts values as they are", () => {
  const value = "<b>'{0}'</b> & \\";
  expect(textsFor("en")("settings.shell.signedInAs", { name: value })).toBe(`Signed in as ${value}`);
});

test("returns the text of received values, with numbers written as digits", () => {
  expect(receivedText("de", "settings.triggers.waiting", { count: "4000" })).toBe("Wartend: 4.000");
});

test("returns no text for a received key that this version lacks, or without one of its values", () => {
  expect(receivedText("de", "settings.triggers.unknown", {})).toBeUndefined();
  expect(receivedText("de", "constructor", {})).toBeUndefined();
  expect(receivedText("de", "settings.triggers.waiting", {})).toBeUndefined();
});

test("an unknown key, and a text without its values or with a wrong one, do not compile", () => {
  const text = textsFor("en");
  const wrong = [
    // @ts-expect-error no such key
    () => text("settings.triggers.unknown"),
    // @ts-expect-error without the count
    () => text("settings.triggers.waiting"),
    // @ts-expect-error a count that is not a number
    () => text("settings.triggers.waiting", { count: "3" }),
    // @ts-expect-error another name
    () => text("settings.triggers.waiting", { number: 3 }),
    // @ts-expect-error a text without arguments
    () => text("settings.keys.roll", { count: 3 }),
  ];
  expect(wrong).toHaveLength(5);
});

test("loads a language when a text in it is needed, and English alone at first", () => {
  const program = `
    import { createRequire } from "node:module";
    import { textsFor } from ${JSON.stringify(new URL("./texts.ts", import.meta.url))};
    const loaded = () =>
      Object.keys(createRequire(import.meta.url).cache).flatMap((file) => /texts.(..)[.]json$/.exec(file)?.[1] ?? []);
    textsFor("en")("settings.keys.roll");
    const atFirst = loaded();
    textsFor("ja")("settings.keys.roll");
    console.log(JSON.stringify([atFirst, loaded()]));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual([["en"], ["en", "ja"]]);
});
