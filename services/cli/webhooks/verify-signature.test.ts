import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifySignature } from "./verify-signature.ts";

const secret = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0";
const body = '{"version":2,"certificate":{"owner":{"name":"Zoë 🎨"}}}';

const sign = (text: string, key: string | Buffer = secret) =>
  `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;
const good = sign(body);
const digest = good.slice("sha256=".length);

const judge = (signature: string, text = body, file = secret) =>
  verifySignature({ secretFile: Buffer.from(file), body: Buffer.from(text), signature });

describe("a signature is valid", () => {
  test.each([
    ["a secret's file without a line break", body, secret],
    ["a secret's file with a line break at its end", body, `${secret}\n`],
    ["one of another system", body, `${secret}\r\n`],
  ])("with %s", (_name, text, file) => {
    expect(judge(sign(text), text, file)).toBe("valid");
  });

  test("over an empty body, and over bytes that are no text", () => {
    expect(judge(sign(""), "")).toBe("valid");
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
    expect(verifySignature({ secretFile: Buffer.from(secret), body: bytes, signature })).toBe("valid");
  });
});

describe("a signature is not valid, and the reason names", () => {
  test.each([
    ["the missing prefix", digest, [/does not begin with sha256=/]],
    ["another prefix", `sha1=${digest}`, [/does not begin with sha256=/]],
    ["capitals", `sha256=${digest.toUpperCase()}`, [/capitals/]],
    ["a digit too few", good.slice(0, -1), [/63 digits instead of 64/]],
    ["a digit too many", `${good}0`, [/65 digits instead of 64/]],
    ["no digits", "sha256=", [/0 digits instead of 64/]],
    ["nothing at all", "", [/does not begin/, /0 digits/]],
    ["Base64", `sha256=${Buffer.from(digest, "hex").toString("base64")}`, [/capitals/, /not hexadecimal/]],
    ["white space", ` ${good}`, [/white space around it/]],
    ["the header's name", `X-Service-Signature: ${good}`, [/without its name/]],
    ["prefix and capitals", digest.toUpperCase(), [/does not begin with sha256=/, /capitals/]],
  ])("its form: %s", (_name, signature, reasons) => {
    expect(judge(signature)).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
  });

  test.each([
    ["a line break that an editor added", `${body}\n`, /line break at its end that was not sent/],
    ["JSON written anew", JSON.stringify(JSON.parse(body), undefined, 2), /parsed and written anew/],
    [
      "JSON written anew, with a line break",
      `${JSON.stringify(JSON.parse(body), undefined, 1)}\n`,
      /written anew/,
    ],
    ["a byte order mark", `\ufeff${body}`, /byte order mark/],
  ])("what happened to the body: %s", (_name, text, reason) => {
    expect(judge(good, text)).toEqual([expect.stringMatching(reason)]);
  });

  test("what happened to the body: its line breaks", () => {
    expect(judge(sign("a\nb"), "a\r\nb")).toEqual([expect.stringMatching(/line breaks were changed/)]);
    expect(judge(sign("a\n"), "a")).toEqual([expect.stringMatching(/lacks the line break/)]);
  });

  test.each([
    ["with the file's line break", `${secret}\n`, /line break at the end of the secret's file/],
    ["without its prefix", secret.slice(6), /without whsec_/],
    ["decoded", Buffer.from(secret.slice(6), "base64url"), /decoded secret/],
  ])("how the secret was used: %s", (_name, key, reason) => {
    expect(judge(sign(body, key), body, `${secret}\n`)).toEqual([expect.stringMatching(reason)]);
  });

  test("white space in the secret's file", () => {
    expect(judge(good, body, ` ${secret}\n\n`)).toEqual([
      expect.stringMatching(/white space around the secret/),
    ]);
  });

  test("form and body together", () => {
    expect(judge(digest, `${body}\n`)).toEqual([
      expect.stringMatching(/does not begin/),
      expect.stringMatching(/line break at its end/),
    ]);
  });

  test.each([
    ["another secret", sign(body, "whsec_another"), body],
    ["another body", good, body.replace("2", "3")],
  ])("nothing in particular: %s", (_name, signature, text) => {
    expect(judge(signature, text)).toEqual([expect.stringMatching(/^The digest is another one/)]);
  });

  test("a secret's file that is empty", () => {
    for (const file of ["", "\n"])
      expect(judge(sign(body, ""), body, file)).toEqual(["The secret's file is empty."]);
  });
});
