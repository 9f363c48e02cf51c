import { expect, test } from "vitest";
import {
  generateStandardSecret,
  standardSecretPrefix,
  standardSignature,
  standardSigningKey,
} from "./standard-signature.ts";

// The example that the reference implementations of Standard Webhooks publish.
const published = {
  secret: `${standardSecretPrefix}MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`,
  message: {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: Buffer.from('{"test": 2432232314}'),
  },
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

test("computes the signature in the example published by Standard Webhooks", () => {
  expect(standardSignature([standardSigningKey(published.secret)], published.message)).toBe(published.signature);
});

test("signs with each key, in the given order", () => {
  const other = standardSigningKey(generateStandardSecret());
  const both = standardSignature([other, standardSigningKey(published.secret)], published.message).split(" ");
  expect(both).toEqual([standardSignature([other], published.message), published.signature]);
});

test.each([
  ["id", { id: "msg_other" }],
  ["timestamp", { timestamp: 1_614_265_331 }],
  ["body", { body: Buffer.from('{"test": 2432232315}') }],
])("the signature covers the %s", (_part, changed) => {
  const keys = [standardSigningKey(published.secret)];
  expect(standardSignature(keys, { ...published.message, ...changed })).not.toBe(published.signature);
});

test("generates a different 32-byte key each time", () => {
  const secrets = [generateStandardSecret(), generateStandardSecret()];
  expect(secrets.map((secret) => standardSigningKey(secret).length)).toEqual([32, 32]);
  expect(secrets[0]).not.toBe(secrets[1]);
});
