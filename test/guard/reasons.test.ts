import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { messagesIn } from "#shared/texts/text-files.ts";

const services = fileURLToPath(new URL("../../services", import.meta.url));
const codes = Object.keys(messagesIn("en")).flatMap((key) => /^reason\.(\w+)$/.exec(key)?.[1] ?? []);
const sources = globSync("{registry,notifier,edge,cli,shared}/**/*.ts", { cwd: services })
  .filter((file) => !/\.test\.ts$|fixture|shared\/texts\//.test(file))
  .map((file) => readFileSync(path.join(services, file), "utf8"))
  .join("\n");

test("each reason is produced somewhere", () => {
  expect(codes.length).toBeGreaterThan(150);
  expect(codes.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});

test("a code without a text, a code without its parameters, and a refusal in words do not compile", () => {
  // @ts-expect-error
  expect(reason("sold_in").code).toBe("sold_in");
  // @ts-expect-error
  expect(reason("sold_out").params).toEqual({});
  // @ts-expect-error
  expect(new ServiceError("failed_precondition", "The edition is sold out.").code).toBe("failed_precondition");
});

test.each(supportedLanguages)(
  "in %s, a reason without its parameters, or of another version, shows its code",
  (language) => {
    expect(reasonText({ code: "sold_out", params: {} }, language)).toContain("sold_out");
    expect(reasonText({ code: "of_tomorrow", params: { title: "Kite" } }, language)).toContain("of_tomorrow");
    expect(reasonText({ code: "constructor", params: {} }, language)).toContain("constructor");
  },
);

test.each([
  ["de", "Der Empfänger hat nicht innerhalb von 0,5 Sekunden geantwortet."],
  ["en", "The receiver did not reply within 0.5 seconds."],
  ["es", "El receptor no ha respondido en 0,5 segundos."],
  ["fr", "Le récepteur n’a pas répondu dans un délai de 0,5 seconde."],
  ["it", "Il ricevitore non ha risposto entro 0,5 secondi."],
  ["ja", "受信側が0.5秒以内に応答しませんでした。"],
  ["nl", "De ontvanger heeft niet binnen 0,5 seconden geantwoord."],
  ["pt", "O receptor não respondeu em 0,5 segundo."],
] as const)("formats a time limit in %s", (language, text) => {
  expect(reasonText(reason("no_reply_in_time", { seconds: 0.5 }), language)).toContain(text);
});

test("names the kind of an address in words, except the names of protocols", () => {
  const text = (kind: string) => reasonText(reason("url_address_not_public", { kind }), "de");
  expect(text("link_local")).toContain("(Link-Local)");
  expect(text("NAT64")).toContain("(NAT64)");
});
