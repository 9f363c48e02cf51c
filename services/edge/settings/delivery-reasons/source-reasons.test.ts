import { expect, test } from "vitest";
import { findPart } from "./find-part.ts";
import { partKinds } from "./parts.ts";
import { sourceParts } from "./source-reasons-fixture.ts";

// Strings in the modules that are not part of the reason for a delivery's outcome.
const others = [
  // Errors returned to callers, and the problem of a quarantined event
  /^The event may be in flight\.$|^Try again later\.$|^NATS refuses the event /,
  /^Set one and try again\.$|cannot be redelivered|^To send another one|^Redeliver the original|^To find its id/,
  /^The event is still being delivered|^Try again once/,
  /^The trigger is disabled\.$|^Enable it and try again\.$|^The store has no such trigger/,
  // The sample certificate and the request to the proxy
  /^Sample |^CONNECT /,
  // Replaced by another reason in send-to-trigger.ts
  /^The sender was stopped\.$/,
];

const reasons = sourceParts().filter(({ text }) => !others.some((pattern) => pattern.test(text)));

test.each(reasons)("$file: $text is a known part of a reason", ({ text }) => {
  expect(findPart(text)?.kind).toBeDefined();
});

test("every known part of a reason occurs in the sources", () => {
  const kinds = new Set(reasons.map(({ text }) => findPart(text)?.kind));
  expect(partKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
});
