import { describe, expect, test } from "vitest";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { createSecretBox, UnreadableSecret } from "./secret-box.ts";

const keyOf = (fill: number) => new Uint8Array(32).fill(fill);
const boxWith = (newest: number, ...older: number[]) => createSecretBox([keyOf(newest), ...older.map(keyOf)]);

const box = boxWith(1);
const secret = "whsec_a-secret";
const sealed = box.seal(secret, "sto_1");

/** Flips one bit in the last part of a sealed secret. */
function withBitFlipped(text: string, bit: number): string {
  const [format, keyId, part = ""] = text.split(".");
  const bytes = Buffer.from(part, "base64url");
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return [format, keyId, bytes.toString("base64url")].join(".");
}

describe("a sealed secret", () => {
  test.each([secret, "", "Zoë 🎨", generateSigningSecret(), "x".repeat(10_000)])(
    "opens to the original text: %j",
    (text) => {
      expect(box.open(box.seal(text, "sto_1"), "sto_1")).toBe(text);
    },
  );

  test("shows its format version and key id, but does not contain the plaintext", () => {
    expect(sealed).toMatch(/^sealed-v1\.[0-9a-f]{16}\.[\w-]+$/);
    expect(Buffer.from(sealed.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain("whsec_");
  });

  test("contains a different nonce each time the same text is sealed", () => {
    const texts = Array.from({ length: 100 }, () => box.seal(secret, "sto_1"));
    expect(new Set(texts.map((text) => text.split(".")[2]?.slice(0, 16))).size).toBe(100);
  });

  test("opens if it was sealed by the first release", () => {
    const first = "sealed-v1.dc9a5798b4193bda.RMHAQ0OfEz1RfTpoMN0per5gAcT77QhaCMeQIRMK7aWFygQyLr9Jc2V7a1Ra2Dkcbv7z2jbb";
    expect(box.open(first, "sto_4bpxn2twdf2qt148hpjwgv08")).toBe("whsec_of-the-first-version");
  });

  test("does not open for another store", () => {
    expect(() => box.open(sealed, "sto_2")).toThrow(UnreadableSecret);
    expect(() => box.open(sealed, "sto_2")).toThrow("was altered, or was sealed for another store");
  });

  test("does not open if any single bit of its nonce, ciphertext or tag is flipped", () => {
    const bits = Buffer.from(sealed.split(".")[2] ?? "", "base64url").length * 8;
    for (let bit = 0; bit < bits; bit++)
      expect(() => box.open(withBitFlipped(sealed, bit), "sto_1")).toThrow(UnreadableSecret);
  });

  test("does not open without its key; the error names the key id", () => {
    const keyId = sealed.split(".")[1];
    expect(() => boxWith(2).open(sealed, "sto_1")).toThrow(
      new UnreadableSecret(`is sealed with the key ${keyId}, which is not configured`),
    );
  });

  test("does not open under the id of another key", () => {
    const otherId = boxWith(2).seal(secret, "sto_1").split(".")[1];
    const renamed = sealed.replace(/\.[0-9a-f]{16}\./, `.${otherId}.`);
    expect(() => boxWith(1, 2).open(renamed, "sto_1")).toThrow(UnreadableSecret);
  });

  test.each([
    ["if it is empty", ""],
    ["if its format version is newer", sealed.replace("v1", "v2")],
    ["without its last part", sealed.slice(0, sealed.lastIndexOf("."))],
    ["with a trailing line break", `${sealed}\n`],
    ["with a leading space", ` ${sealed}`],
  ])("does not open %s", (_name, text) => {
    expect(() => box.open(text, "sto_1")).toThrow("has a format that this version does not support");
  });

  test("does not open if it is truncated", () => {
    for (const length of [21, 22, 30, 50, sealed.length - 1])
      expect(() => box.open(sealed.slice(0, length), "sto_1")).toThrow(UnreadableSecret);
  });
});

describe("a secret box during a key rotation", () => {
  const [before, during, after] = [boxWith(1), boxWith(2, 1), boxWith(2)];

  test("opens secrets sealed with the old key, and seals with the new key", () => {
    const old = before.seal(secret, "sto_1");
    expect(during.open(old, "sto_1")).toBe(secret);
    const resealed = during.seal(secret, "sto_1");
    expect(after.open(resealed, "sto_1")).toBe(secret);
    for (const box of [during, after]) expect([old, resealed].map((text) => box.isNewest(text))).toEqual([false, true]);
  });
});

test("accepts a key file that contains text with a trailing line break", () => {
  const text = createSecretBox([Buffer.from("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n")]);
  expect(text.open(text.seal(secret, "sto_1"), "sto_1")).toBe(secret);
});

test("rejects a plaintext secret, which anyone with write access to the database could have stored", () => {
  for (const plain of [secret, generateSigningSecret()])
    expect(() => box.open(plain, "sto_2")).toThrow("is not encrypted");
});
