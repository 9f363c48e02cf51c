import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifySignature } from "./verify-signature.ts";

const secret = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0";
const body = '{"version":2,"certificate":{"owner":{"name":"Zoë 🎨"}}}';

const sign = (text: string, key: string | Buffer = secret) =>
  `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;
const good = sign(body);
const digest = good.slice("sha256=".length);

const verify = (signature: string, text = body, file = secret) =>
  verifySignature({ secretFile: Buffer.from(file), body: Buffer.from(text), signature });

describe("verifySignature, given a valid signature", () => {
  test.each([
    ["a secret file without a line break", body, secret],
    ["a secret file with a final LF", body, `${secret}\n`],
    ["a secret file with a final CRLF", body, `${secret}\r\n`],
  ])("accepts %s", (_name, text, file) => {
    expect(verify(sign(text), text, file)).toBe("valid");
  });

  test("accepts an empty body, and a body that is not UTF-8", () => {
    expect(verify(sign(""), "")).toBe("valid");
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
    expect(verifySignature({ secretFile: Buffer.from(secret), body: bytes, signature })).toBe("valid");
  });
});

describe("verifySignature, given an invalid signature", () => {
  test.each([
    ["a missing prefix", digest, [/does not begin with sha256=/]],
    ["another prefix", `sha1=${digest}`, [/does not begin with sha256=/]],
    ["capital letters", `sha256=${digest.toUpperCase()}`, [/capital letters/]],
    ["one digit too few", good.slice(0, -1), [/63 digits instead of 64/]],
    ["one digit too many", `${good}0`, [/65 digits instead of 64/]],
    ["no digits", "sha256=", [/0 digits instead of 64/]],
    ["an empty signature", "", [/does not begin/, /0 digits/]],
    ["Base64", `sha256=${Buffer.from(digest, "hex").toString("base64")}`, [/capital letters/, /not hexadecimal/]],
    ["white space", ` ${good}`, [/white space around it/]],
    ["the header's name", `X-Service-Signature: ${good}`, [/without its name/]],
    ["a missing prefix and capital letters", digest.toUpperCase(), [/does not begin with sha256=/, /capital letters/]],
  ])("reports a malformed signature: %s", (_name, signature, reasons) => {
    expect(verify(signature)).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
  });

  test.each([
    ["a line break added by an editor", `${body}\n`, /ends with a line break that was not signed/],
    ["JSON serialized again", JSON.stringify(JSON.parse(body), undefined, 2), /parsed and serialized again/],
    [
      "JSON serialized again, followed by a line break",
      `${JSON.stringify(JSON.parse(body), undefined, 1)}\n`,
      /serialized again/,
    ],
    ["a byte order mark", `\ufeff${body}`, /byte order mark/],
  ])("reports a modified body: %s", (_name, text, reason) => {
    expect(verify(good, text)).toEqual([expect.stringMatching(reason)]);
  });

  test("reports a body with modified or missing line breaks", () => {
    expect(verify(sign("a\nb"), "a\r\nb")).toEqual([expect.stringMatching(/line breaks of the body were changed/)]);
    expect(verify(sign("a\n"), "a")).toEqual([expect.stringMatching(/lacks the final line break/)]);
  });

  test.each([["the secret with the file's line break", `${secret}\n`, /line break at the end of the secret file/]])(
    "reports a signature made with the wrong key: %s",
    (_name, key, reason) => {
      expect(verify(sign(body, key), body, `${secret}\n`)).toEqual([expect.stringMatching(reason)]);
    },
  );

  test.each([
    ["the secret without its prefix", "whsec_c2VjcmV0", "c2VjcmV0", /without the prefix whsec_/],
    ["the decoded secret", "whsec_c2VjcmV0", "secret", /decoded secret/],
    ["the secret without its prefix", "crs_9k2m4n6p", "9k2m4n6p", /without the prefix crs_/],
    ["the decoded secret", "crs_9k2m4n6p", Buffer.from("9k2m4n6p", "base64"), /decoded secret/],
  ])("reports a signature made with the wrong key: %s (%s)", (_name, file, key, reason) => {
    expect(verify(sign(body, file), body, file)).toBe("valid");
    expect(verify(sign(body, key), body, file)).toEqual([expect.stringMatching(reason)]);
  });

  test("reports a secret file with white space around the secret", () => {
    expect(verify(good, body, ` ${secret}\n\n`)).toEqual([expect.stringMatching(/white space around the secret/)]);
  });

  test("reports a malformed signature together with a modified body", () => {
    expect(verify(digest, `${body}\n`)).toEqual([
      expect.stringMatching(/does not begin/),
      expect.stringMatching(/ends with a line break/),
    ]);
  });

  test.each([
    ["another secret", sign(body, "whsec_another"), body],
    ["another body", good, body.replace("2", "3")],
    ["a body too deep to be serialized", good, "[".repeat(5_000) + "]".repeat(5_000)],
  ])("reports a mismatch without a known cause: %s", (_name, signature, text) => {
    expect(verify(signature, text)).toEqual([expect.stringMatching(/^The digest does not match/)]);
  });

  test("reports an empty secret file", () => {
    for (const file of ["", "\n"])
      expect(verify(sign(body, ""), body, file)).toEqual(["The secret file contains no secret."]);
  });
});
