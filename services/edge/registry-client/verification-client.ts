import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type GetPageResponse,
  PageChangeKind,
  PageState,
  type ReportProblemRequest,
  VerificationService,
} from "#gen/registry/v1/verification_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { passingOn } from "./passing-on.ts";
import type { VerificationPage } from "./verification-page.ts";

/** Codes that are passed on to the caller; any other failure becomes `internal`. */
const visitorCodes: readonly ErrorCode[] = ["not_found", "unavailable", "rate_limited", "bad_request", "conflict"];

/**
 * Creates a client for the registry's VerificationService, which identifies certificates only by link tokens. Methods
 * throw ServiceError `not_found` for an unknown link token, `unavailable`, or `internal` for a fault that the visitor
 * can do nothing about.
 */
export function verificationClient(transport: Transport) {
  const client = createClient(VerificationService, passingOn(visitorCodes, transport));
  return {
    getPage: (linkToken: string) => client.getPage({ linkToken }).then(pageOf),
    /** Returns a logo's image in WebP format. @throws ServiceError `not_found` for an unknown id */
    getLogo: (logoId: string) => client.getLogo({ logoId }).then(({ content }) => content),
    /** Returns a product's image in WebP format. @throws ServiceError `not_found` for an unknown id */
    getProductImage: (imageId: string) => client.getProductImage({ imageId }).then(({ content }) => content),
    /** Records that a person opened the page; only the first opening has an effect. */
    async recordOpening(linkToken: string): Promise<void> {
      await client.recordVerification({ linkToken });
    },
    /**
     * Stores a report; a form that is sent twice is stored once.
     *
     * @returns the report's id
     * @throws ServiceError `rate_limited` if the certificate has many recent reports; `bad_request` naming a field;
     *   `conflict` if a different report was sent with the idempotency key
     */
    reportProblem: (report: Omit<ReportProblemRequest, "$typeName" | "$unknown" | "certificateId">) =>
      client.reportProblem(report).then(({ reportId }) => reportId),
  };
}

/** The part of the registry's API that the verification pages use. */
export type VerificationClient = ReturnType<typeof verificationClient>;

function pageOf(response: GetPageResponse): VerificationPage {
  const { $typeName: _, state: value, issuedAt, expiresAt, revokedAt, editionParts, changes, ...texts } = response;
  const state = valueName(PageState, value);
  if (state === undefined || issuedAt === undefined)
    throw new Error("the registry returned a page with an unknown state or without a date of issue");
  return {
    ...texts,
    state,
    issuedAt: timestampDate(issuedAt),
    editionParts: editionParts && { number: editionParts.number, total: editionParts.total, style: editionParts.style },
    // Changes of a kind that only a newer registry knows are left out.
    changes: changes.flatMap(({ kind: value, at }) => {
      const kind = valueName(PageChangeKind, value);
      return kind === undefined || at === undefined ? [] : [{ kind, at: timestampDate(at) }];
    }),
    expiresAt: expiresAt && timestampDate(expiresAt),
    revokedAt: revokedAt && timestampDate(revokedAt),
  };
}
