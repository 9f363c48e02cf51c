import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { ConfirmationNeeded, type KeyedForm } from "../model/settings-page.ts";
import { visitFixture } from "../visit-fixture.ts";
import { redeliverRange } from "./redeliver-form.ts";

const unconfirmed: KeyedForm = { text: () => "", has: () => false, isConfirmed: false, nonce: "nonce" };
const at = (time: string) => timestampFromDate(new Date(time));

test.each([
  [
    "en",
    "2026-11-20T09:05:00Z",
    "2026-11-24T16:30:00Z",
    "Issued: 2, Revoked: 1",
    "Nov 20, 2026, 9:05 AM – Nov 24, 2026, 4:30 PM UTC",
  ],
  [
    "en",
    "2026-11-24T09:05:00Z",
    "2026-11-24T16:30:00Z",
    "Issued: 2, Revoked: 1",
    "Nov 24, 2026, 9:05 AM – 4:30 PM UTC",
  ],
  ["de", "2026-11-24T09:05:10Z", "2026-11-24T09:05:40Z", "Ausgestellt: 2, Widerrufen: 1", "24.11.2026, 09:05 UTC"],
  ["fr", "2026-11-24T09:05:00Z", "2026-11-24T09:05:00Z", "Émis\u00A0: 2, Révoqué\u00A0: 1", "24 nov. 2026, 09:05 UTC"],
  ["ja", "2026-11-24T09:05:00Z", "2026-11-24T09:05:00Z", "発行：2、失効：1", "2026/11/24 9:05 UTC"],
] as const)(
  "in %s, the question before a redelivery counts the events, and shows when they were sent: %s to %s",
  async (...given) => {
    const [language, first, last, events, times] = given;
    const counts = [
      { event: EventType.ISSUED, count: 2 },
      { event: EventType.REVOKED, count: 1 },
    ];
    const preview = { counts, first: at(first), last: at(last) };
    const visit = visitFixture(
      ({ service }) => void service(settingsServices.deliveries, { previewRedelivery: () => preview }),
      { language },
    );
    const refused = await redeliverRange(visit, unconfirmed).catch((error: unknown) => error);
    if (!(refused instanceof ConfirmationNeeded)) throw new Error("the form was sent without a question");
    expect(refused.question).toMatch(new RegExp(`[(（]${events}[)）]`));
    // Formatted dates contain spaces of several widths.
    expect(refused.question.replaceAll(/\s/g, " ")).toContain(times);
  },
);
