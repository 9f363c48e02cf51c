import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reasonKind, reasonKinds } from "./reason-kinds.ts";
import { reasonText, reasonTexts } from "./reason-text.ts";

const root = join(import.meta.dirname, "../../..");

// The modules that contain the reasons shown to merchants.
const modules = [
  ...["shared/orders/*.ts", "shared/address-guard/{address-guard,host-name,port}.ts"],
  ...["registry/certificates/{transitions,issue-item,issue-certificates,idempotent,import-item}.ts"],
  ...["registry/stores/{https-url,settings,rotate-secrets}.ts", "registry/values/text-rules.ts"],
  ...["registry/deliveries/{redeliver-event,send-test-message}.ts", "registry/imports/run-import.ts"],
  ...["registry/storefront/{plan-order,failed-attempt}.ts", "edge/connector/shopify/{shopify-adapter,parse-json}.ts"],
];

// Strings in these modules that the test ignores: strings that are not reasons, reasons that only operators see, and
// introductions to other reasons.
const others =
  /^(is of|the )|^is not a message on|^import_|^#|^must |There is no such|^Rejected|^Invalid|^Line(item)? |^Rows up to|^The first affected|^Save the|^The value is not|^The (\w+ )+1\.$|^uses 1$|^The registry returned|^Export the/;

/** Returns the sentences and predicates in the string literals of a module; each placeholder becomes `1`. */
function wordsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, "");
  const literals = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
  return literals
    .map(([, plain, template]) => (plain ?? template ?? "").replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "1").trim())
    .filter((text) => /^[A-Z].* .*\.$|^(is|contains|does|must|names|has|an?) .* ?/.test(text));
}

const files = modules
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !/\.test\.ts$|fixture/.test(file));
const found = files.flatMap((file) =>
  wordsIn(readFileSync(join(root, file), "utf8")).map((text) => [file, text] as const),
);

test("finds more than fifty reasons in the sources", () => {
  expect(found.length).toBeGreaterThan(50);
});

test.each(found)("%s: %j is of a known kind, or is not a reason shown to merchants", (_file, text) => {
  if (!others.test(text)) expect(reasonKind(text)).toBeDefined();
});

describe.each(Object.entries(reasonTexts))("%s", (_language, texts) => {
  test("has a different text for each kind of reason", () => {
    expect(Object.keys(texts)).toEqual(reasonKinds);
    expect(new Set(Object.values(texts)).size).toBe(reasonKinds.length);
  });
});

test.each([
  ["contains a fragment (#…)", "fragment"],
  ["uses a non-public address (loopback); use a host that is reachable from the internet", "notPublic"],
  ["uses port 0; use a port from 1 to 65535", "port"],
  ["The product title is longer than 255 characters.", "tooLong"],
  [
    "The row that begins on line 7 is larger than 128 KiB, perhaps because a quotation mark is never closed.",
    "longRow",
  ],
  ["The row on line 1 has more than 1,000 cells. Delete the columns that are not needed.", "longRow"],
  ["An import takes at most 200,000 items.", "manyItems"],
  ["The edition of Poster is sold out. The first affected unit is number 3.", "soldOut"],
  ["buyer.email is not an e-mail address", "email"],
] as const)("%j is of the kind %s", (reason, kind) => {
  expect(reasonKind(reason)).toBe(kind);
});

test("translates a known reason, and returns the registry's text for English and for an unknown reason", () => {
  expect(reasonText("contains a fragment (#…)", "en")).toBe("contains a fragment (#…).");
  expect(reasonText("Something new happened.", "ja")).toBe("Something new happened.");
  expect(reasonText("is empty", "de")).toBe(reasonTexts.de.empty);
});
