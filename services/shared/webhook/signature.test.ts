import { expect, test } from "vitest";
import { signatureOf } from "./signature.ts";

test("signatureOf matches test case 2 of RFC 4231", () => {
  expect(signatureOf(Buffer.from("Jefe"), Buffer.from("what do ya want for nothing?"))).toBe(
    "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});
