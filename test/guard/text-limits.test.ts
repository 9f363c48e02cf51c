import { type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { textLimits } from "#shared/text/text-limits.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { tableRows, textOf } from "./repository.ts";

const services = [
  DeliveryService,
  InspectionService,
  IssuingService,
  LifecycleService,
  ReportService,
  StoreAdminService,
  VerificationService,
];

/** The limit of each string that a request stores, by protobuf field. All idempotency keys share a limit. */
const limitOf: Readonly<Record<string, keyof typeof textLimits>> = {
  "CatalogueProduct.id": "productId",
  "CatalogueProduct.title": "productTitle",
  "CatalogueVariant.sku": "sku",
  "CatalogueVariant.title": "productVariant",
  "CheckWebhookUrlRequest.url": "url",
  "CreateApiKeyRequest.label": "keyLabel",
  "CreateSettingsLinkRequest.actor": "actor",
  "CreateStoreRequest.display_name": "displayName",
  "CreateStoreRequest.shop": "shop",
  "CreateStoreRequest.verify_base_url": "url",
  "OrderUnit.id": "orderId",
  "OrderUnit.line": "orderLine",
  "OrderUnit.name": "orderName",
  "Person.email": "email",
  "Person.name": "personName",
  "Product.id": "productId",
  "Product.sku": "sku",
  "Product.title": "productTitle",
  "Product.variant": "productVariant",
  "RenameApiKeyRequest.label": "keyLabel",
  "ReportProblemRequest.content": "reportContent",
  "ReportProblemRequest.reporter_email": "email",
  "RevokeCertificateRequest.reason": "revokedReason",
  "RollApiKeyRequest.label": "keyLabel",
  "SetProductDisplayRequest.maker": "maker",
  "SetProductDisplayRequest.product_id": "productId",
  "SetProductDisplayRequest.title": "productTitle",
  "SetWebhookRequest.url": "url",
  "TransferCertificateRequest.new_owner_email": "email",
  "TransferCertificateRequest.new_owner_name": "personName",
  "UpdateSettingsRequest.display_name": "displayName",
  "UpdateSettingsRequest.verify_base_url": "url",
};

// Strings without a limit, because they only select stored values or a supported language.
const lookUps =
  /^(FindCertificatesRequest|EditionUse|GetProductRequest)\.|\.(language|store_id|after_store_id|shop|after_shop|certificate_id|link_token|sample_id|report_id|logo_id|image_id|after_product_id|import_id|serial|key_id|token_id|event_id|page_token|expected_version)$/;

/** Returns the string fields of a message and of the messages in it, such as `Person.email`. */
function textsOf(message: DescMessage, seen = new Set<DescMessage>()): string[] {
  if (seen.has(message) || message.typeName.startsWith("google.")) return [];
  seen.add(message);
  return message.fields.flatMap((field) => {
    if (field.message !== undefined) return textsOf(field.message, seen);
    return field.scalar === ScalarType.STRING ? [`${message.name}.${field.name}`] : [];
  });
}

/** Returns the comment of a field, on one line. */
function commentOf(field: string): string {
  const [message = "", name = ""] = field.split(".");
  const block = new RegExp(`^message ${message} \\{\\n([\\s\\S]*?)^\\}`, "m").exec(contracts)?.[1] ?? "";
  const comment = new RegExp(`((?: *//.*\\n)+) *(?:optional )?string ${name} = `).exec(block)?.[1] ?? "";
  return comment.replaceAll(/\s*\/\/\s*/g, " ").trim();
}

const contracts = services.map(({ file }) => textOf(`proto/${file.name}.proto`)).join("\n");
const texts = new Set(services.flatMap(({ methods }) => methods.flatMap(({ input }) => textsOf(input))));

test("every string in a request has a length limit, unless it only selects stored values or a language", () => {
  const unlimited = [...texts].filter(
    (field) => !(field in limitOf) && !field.endsWith(".idempotency_key") && !lookUps.test(field),
  );
  expect(unlimited, "add a limit to services/shared/text/text-limits.ts and to the table in this test").toEqual([]);
  expect(Object.keys(limitOf).filter((field) => !texts.has(field))).toEqual([]);
});

describe("the gRPC contract", () => {
  const keys = [...texts].filter((field) => field.endsWith(".idempotency_key"));
  const rows = [...Object.entries(limitOf), ...keys.map((field) => [field, "idempotencyKey"] as const)];
  test.each(rows)("states, in the comment on %s, the limit %s", (field, limit) => {
    const max = textLimits[limit].max.toLocaleString("en");
    expect(commentOf(field)).toMatch(new RegExp(`(to|at most) ${max} (characters|digits|letters)`));
  });
});

test("INTERFACE.md §2.7 states the length limits", () => {
  const { productId, productTitle, productVariant, sku, orderId, orderName } = textLimits;
  const { personName, email, revokedReason, url, language } = textLimits;
  // The verification page's URL: the base URL, a slash, the longest link token (a sample's id, which is
  // as long as a certificate's) and the language.
  const verifyUrlMax = url.max + `/${newId("crt")}?lang=`.length + language.max;
  const limits = { productId, productTitle, productVariant, sku, orderId, orderName, personName, email, revokedReason };
  const stated = [...Object.values(limits).map(({ max }) => max), verifyUrlMax].map((max) => max.toLocaleString("en"));
  expect(tableRows("services/INTERFACE.md", "text").map(([, max]) => max)).toEqual(stated);
});
