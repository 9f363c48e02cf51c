import { expect, test } from "vitest";
import { certificateFixture, clientWith, pageWith } from "../../../../services/client/client-fixture.ts";
import { Mirror } from "./mirror.ts";

const now = () => new Date("2030-01-31T10:00:01.000Z");
const message = (certificate: ReturnType<typeof certificateFixture>) => {
  return { version: 2, event: "issued", shop: "shop.example", occurredAt: certificate.updatedAt, certificate } as const;
};

test("a mirror that is resumed during a catch-up reads the list again to get the changes that it missed", async () => {
  const missed = certificateFixture("crt_1", 1);
  const firstPage = Promise.withResolvers<Response>();
  const { client, requests } = clientWith([() => firstPage.promise, pageWith([missed])]);
  const mirror = new Mirror({ file: ":memory:", client, now, onChange: () => undefined });
  const opening = mirror.open();
  mirror.pause();
  expect(await mirror.receive(message(missed))).toBe(false);
  const resuming = mirror.resume();
  // The list as it was before the certificate was issued.
  firstPage.resolve(await pageWith([])(new URL("https://registry.test/")));
  await Promise.all([opening, resuming]);
  expect(requests.length).toBe(2);
  expect(mirror.state).toMatchObject({ count: 1, missed: 0, isPaused: false, isCatchingUp: false });
  await mirror.close();
});
