import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type GetPageResponse,
  PageChangeKind as Kind,
  type ReportKind,
  PageState as State,
  VerificationService,
} from "#gen/registry/v1/verification_service_pb.js";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { passingOn } from "./passing-on.ts";
import type { PageChange, PageState, VerificationPage } from "./verification-page.ts";

/** A problem report from a verification page. */
interface PageReport {
  readonly linkToken: string;
  readonly kind: ReportKind;
  readonly content: string;
  /** May be empty. */
  readonly reporterEmail: string;
  readonly idempotencyKey: string;
}

/**
 * The part of the registry's API that the verification pages use. It identifies certificates only by link tokens.
 * Methods throw ServiceError `not_found` for an unknown link token, `unavailable`, or `internal` for a fault that the
 * visitor can do nothing about.
 */
export interface VerificationClient {
  getPage(linkToken: string): Promise<VerificationPage>;
  /** Returns a logo's image in WebP format. @throws ServiceError `not_found` for an unknown id */
  getLogo(logoId: string): Promise<Uint8Array>;
  /** Returns a product's image in WebP format. @throws ServiceError `not_found` for an unknown id */
  getProductImage(imageId: string): Promise<Uint8Array>;
  /** Records that a person opened the page; only the first opening has an effect. */
  recordOpening(linkToken: string): Promise<void>;
  /**
   * Stores a report; a form that is sent twice is stored once.
   *
   * @returns the report's id
   * @throws ServiceError `rate_limited` if the certificate has many recent reports; `bad_request` naming a field;
   *   `conflict` if a different report was sent with the idempotency key
   */
  reportProblem(report: PageReport): Promise<string>;
}

const states: Readonly<Partial<Record<State, PageState>>> = {
  [State.ACTIVE]: "active",
  [State.REVOKED]: "revoked",
  [State.EXPIRED]: "expired",
  [State.SAMPLE]: "sample",
};

const changeKinds: Readonly<Partial<Record<Kind, PageChange["kind"]>>> = {
  [Kind.TRANSFERRED]: "transferred",
  [Kind.REVOKED]: "revoked",
  [Kind.REACTIVATED]: "reactivated",
};

/** Codes that are passed on to the caller; any other failure becomes `internal`. */
const visitorCodes: readonly ErrorCode[] = ["not_found", "unavailable", "rate_limited", "bad_request", "conflict"];

/** Creates a client for the registry's VerificationService. */
export function verificationClient(transport: Transport): VerificationClient {
  const client = createClient(VerificationService, passingOn(visitorCodes, transport));
  return {
    getPage: (linkToken) => client.getPage({ linkToken }).then(pageOf),
    getLogo: (logoId) => client.getLogo({ logoId }).then(({ content }) => content),
    getProductImage: (imageId) => client.getProductImage({ imageId }).then(({ content }) => content),
    recordOpening: (linkToken) => client.recordVerification({ linkToken }).then(() => undefined),
    reportProblem: (report) => client.reportProblem(report).then(({ reportId }) => reportId),
  };
}

function pageOf(response: GetPageResponse): VerificationPage {
  const { $typeName: _, state: value, issuedAt, expiresAt, revokedAt, editionParts, changes, ...texts } = response;
  const state = states[value];
  if (state === undefined || issuedAt === undefined)
    throw new Error("the registry returned a page with an unknown state or without a date of issue");
  return {
    ...texts,
    state,
    issuedAt: timestampDate(issuedAt),
    editionParts: editionParts && { number: editionParts.number, total: editionParts.total, style: editionParts.style },
    // Changes of a kind that only a newer registry knows are left out.
    changes: changes.flatMap(({ kind: value, at }) => {
      const kind = changeKinds[value];
      return kind === undefined || at === undefined ? [] : [{ kind, at: timestampDate(at) }];
    }),
    expiresAt: expiresAt && timestampDate(expiresAt),
    revokedAt: revokedAt && timestampDate(revokedAt),
  };
}
