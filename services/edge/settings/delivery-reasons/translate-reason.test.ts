import { describe, expect, test } from "vitest";
import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { findPart } from "./find-part.ts";
import { partKinds, parts } from "./parts.ts";
import { partTexts, translateReason } from "./translate-reason.ts";

const placeholdersIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe.each(Object.entries(partTexts))("%s", (language, texts) => {
  test("has a different text for each part", () => {
    expect(Object.keys(texts)).toEqual(partKinds);
    expect(new Set(Object.values(texts)).size).toBe(partKinds.length);
  });

  test("has a translation of each part, with the placeholders of the English text", () => {
    for (const kind of partKinds) {
      expect(texts[kind], kind).not.toBe(parts[kind]);
      expect(placeholdersIn(texts[kind]), kind).toEqual(placeholdersIn(parts[kind]));
    }
  });

  test("ends each part with the punctuation of the English text, or with 。 in Japanese", () => {
    for (const kind of partKinds)
      expect(texts[kind], kind).toMatch(language === "ja" ? /。$/ : parts[kind].endsWith(";") ? /;$/ : /\.$/);
  });
});

test.each(partKinds)("recognizes the part %s with sample values", (kind) => {
  const samples = { seconds: "5 seconds", days: "29 days", code: " (E_CODE)", status: "404", port: "0" };
  const others = { kibibytes: "16", domain: "home.arpa", address: "link-local" };
  const values = new Map<string, string>(Object.entries({ ...samples, ...others }));
  const reason = parts[kind].replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? "");
  expect(findPart(reason)?.kind).toBe(kind);
});

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
  expect(translateReason("The receiver did not reply within 0.5 seconds.", language)?.replaceAll("\u{a0}", " ")).toBe(
    text,
  );
});

test.each([
  ["The receiver's certificate has expired (CERT_HAS_EXPIRED). Renew the certificate.", "(CERT_HAS_EXPIRED)"],
  ["The TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE).", "(ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)"],
  ["The receiver replied with a redirect (status 307).", "(Status 307)"],
  ["The receiver did not reply within 1 second.", "innerhalb von 1 Sekunde"],
  ["The receiver sent 16 KiB without a final status.", "16 KiB"],
  ["The store's webhook format (v1) does not include this event.", "Nachrichtenformat (v1)"],
  ["The webhook URL uses port 0; use a port from 1 to 65535.", "Port 0;"],
  ["The webhook URL resolves to a non-public address (private);", "(privat);"],
  ["The webhook URL resolves to a non-public address (NAT64);", "(NAT64);"],
  ["The webhook URL uses a host in an internal domain (svc);", "(svc);"],
  [
    "The message was not sent within 29 days and has expired; the API's certificate list shows the current state.",
    "29 Tage lang",
  ],
])("translates %j with its values", (reason, values) => {
  expect(translateReason(reason, "de")).toContain(values);
});

const guard = createAddressGuard({ allowedNetworks: [], allowedHosts: [], refusedNetworks: [] });
const nonPublic = ["0.0.0.0", "127.0.0.1", "10.0.0.1", "169.254.1.1", "100.64.0.1", "224.0.0.1", "255.255.255.255"];

test.each([...nonPublic, "168.63.129.16", "240.0.0.1", "fd00::1"])("names the kind of the address %s", (address) => {
  const inJapanese = translateReason(`The webhook URL resolves to ${guard.addressProblem(address)}.`, "ja");
  expect(inJapanese).toMatch(/アドレス（[^a-z]+）です。インターネット/);
});

test.each([
  ["::ffff:10.0.0.1", "IPv4-mapped"],
  ["64:ff9b::a00:1", "NAT64"],
  ["2001::1", "Teredo"],
])("keeps the name of the protocol of the address %s", (address, name) => {
  const inFrench = translateReason(`The webhook URL resolves to ${guard.addressProblem(address)}.`, "fr");
  expect(inFrench).toContain(`une adresse non publique (${name}) ; utilisez un hôte`);
});

test("translates a reason with or without a code; in Japanese, the parentheses are full-width", () => {
  expect(translateReason("The receiver is unreachable.", "de")).toBe("Der Empfänger ist nicht erreichbar.");
  expect(translateReason("The receiver is unreachable (EHOSTUNREACH).", "ja")).toBe(
    "受信側に到達できません（EHOSTUNREACH）。",
  );
});

test("joins the parts of a reason with spaces, except in Japanese", () => {
  const reason = "The receiver replied with status 500. To confirm a message, reply with a status from 200 to 299.";
  expect(translateReason(reason, "nl")).toBe(
    `De ontvanger heeft geantwoord met status 500. ${partTexts.nl.replySuccess}`,
  );
  expect(translateReason(reason, "ja")).toBe(`受信側がステータス500を返しました。${partTexts.ja.replySuccess}`);
});

test.each(supportedLanguages)(
  "in %s, a reason with an unknown part has no translation, except in English",
  (language) => {
    const reason = "The receiver is unreachable. Something new happened.";
    expect(translateReason(reason, language)).toBe(language === "en" ? reason : undefined);
  },
);
