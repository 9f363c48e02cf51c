import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { EditionStyle, OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { setExampleImage } from "../harness/example-images.ts";
import { inStore } from "../harness/in-store.ts";
import type { PagesRig } from "../harness/pages-rig.ts";
import { createTestStore } from "../harness/test-stores.ts";

/** The URL of a verification page, without a query, for each state that the page can show. */
export type ExamplePages = Readonly<
  Record<"valid" | "pictured" | "revoked" | "expired" | "sample" | "unknown", string>
>;

const issuedAt = new Date("2026-03-14T10:00:00Z");
const sku = "LP-KITE-A2";
const picturedSku = "LP-KITE-A2-4";

/**
 * Creates a store with two valid certificates, one of them of a product with an image and a maker, a revoked and an
 * expired one, and a sample. Dates and serials are fixed.
 */
export async function createExamplePages(rig: PagesRig): Promise<ExamplePages> {
  const { registry } = rig;
  const { certificates, reports: _, ...collections } = registry.database.collections;
  const storeId = await createTestStore(registry, {
    displayName: "Linden Press",
    editionStyle: EditionStyle.ZERO_PADDED,
    ownerDisplay: OwnerDisplay.NAME,
  });
  await registry.admin.putProducts(
    {
      products: [
        {
          id: "7001",
          title: "Kite Season, No. 3",
          editionTotal: 50,
          variants: [{ sku, title: "A2, hand-pulled screen print" }],
        },
        {
          id: "7002",
          title: "Kite Season, No. 4",
          editionTotal: 50,
          variants: [{ sku: picturedSku, title: "A2, hand-pulled screen print" }],
        },
      ],
    },
    inStore(storeId),
  );
  await setExampleImage(rig, storeId, "7002");
  const issue = async (serial: number, ofSku = sku) => {
    const buyer = { name: "Ada Lovelace", email: "ada@example.test" };
    const { certificateId, url } = await rig.issue(storeId, {
      product: { sku: ofSku },
      buyer,
      expiresAt: timestampFromDate(new Date("2076-03-14T00:00:00Z")),
    });
    const updatedAt = new Date(issuedAt.getTime() + serial);
    await certificates.updateOne({ _id: certificateId }, { $set: { serial, issuedAt, updatedAt } });
    return { certificateId, url };
  };
  const [valid, revoked, expired] = [await issue(1042), await issue(1043), await issue(1044)];
  const pictured = await issue(1045, picturedSku);
  const { certificateId } = revoked;
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
  const revokedAt = new Date("2026-04-02T10:00:00Z");
  await certificates.updateOne({ _id: certificateId }, { $set: { revokedAt } });
  await collections.history.updateOne(
    { certificate: certificateId, type: EventType.REVOKED },
    { $set: { at: revokedAt } },
  );
  await certificates.updateOne(
    { _id: expired.certificateId },
    { $set: { expiresAt: new Date("2026-09-01T00:00:00Z") } },
  );
  const { certificateIds } = await registry.issuing.createSamples(
    {
      products: [{ title: "Kite Season, No. 3", variant: "A2, hand-pulled screen print" }],
    },
    inStore(storeId),
  );
  const [sampleId = ""] = certificateIds;
  await collections.samples.updateOne({ _id: sampleId }, { $set: { createdAt: issuedAt } });
  return {
    valid: valid.url,
    pictured: pictured.url,
    revoked: revoked.url,
    expired: expired.url,
    sample: `${rig.verifyUrl}/${sampleId}`,
    unknown: `${rig.verifyUrl}/${"0".repeat(26)}`,
  };
}
