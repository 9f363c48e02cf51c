import { expect, test } from "vitest";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { messageHeaders } from "../../services/edge/openapi/webhook-messages.ts";
import { textOf } from "./repository.ts";

const guide = textOf("deploy/receivers/README.md");

test("the receivers' guide mentions every header of a message", () => {
  expect(Object.keys(messageHeaders).filter((name) => !guide.includes(`\`${name}`))).toEqual([]);
});

test.each(["send-test-message", "redeliver-event"])(
  "the receivers' guide mentions the delivery id prefixes of %s",
  (operation) => {
    const source = textOf(`services/registry/deliveries/${operation}.ts`);
    const prefixes = Array.from(source.matchAll(/\bnewId\("(\w+)"\)/g), ([, prefix = ""]) => prefix);
    expect(prefixes.length).toBeGreaterThan(0);
    expect(prefixes.filter((prefix) => !guide.includes(`\`${prefix}_…\``))).toEqual([]);
  },
);

test("the receivers' guide states the prefix and the HMAC key's length of signing secrets", () => {
  const secret = generateSigningSecret();
  const prefix = secret.slice(0, secret.indexOf("_") + 1);
  const keyOf = (start: string) =>
    new RegExp(`^\\| \`${start}\` .* \\| all (\\d+) characters \\|$`, "m").exec(guide)?.[1];
  expect(keyOf(prefix)).toBe(String(secret.length));
});
