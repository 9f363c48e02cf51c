import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { classifyStatus } from "./classify-status.ts";

const { DELIVERED, REFUSED, REDIRECTED } = OutcomeKind;

test.each([
  [200, DELIVERED],
  [202, DELIVERED],
  [204, DELIVERED],
  [299, DELIVERED],
  [300, REFUSED],
  [301, REDIRECTED],
  [302, REDIRECTED],
  [303, REDIRECTED],
  [304, REFUSED],
  [305, REFUSED],
  [307, REDIRECTED],
  [308, REDIRECTED],
  [399, REFUSED],
  [400, REFUSED],
  [401, REFUSED],
  [410, REFUSED],
  [429, REFUSED],
  [500, REFUSED],
  [599, REFUSED],
  [600, REFUSED],
  [999, REFUSED],
])("classifies status %i as outcome %i, and names the status in the reason", (status, kind) => {
  const { kind: classified, reason } = classifyStatus(status);
  expect(classified).toBe(kind);
  expect(reasonText(reason, "en")).toMatch(new RegExp(`^The receiver replied with [^.]*status ${status}[.)]`));
});
