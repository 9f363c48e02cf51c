import { LifecycleService, RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { ReportKind, VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { type CertificateState, type LifecycleCase, lifecycleCase, type Target } from "./lifecycle-case.ts";

const x = (length: number) => "x".repeat(length);
const email = (length: number) => `${x(length - 2)}@b`;

const expired = { refused: "The certificate has expired." };
const revoked = { refused: "The certificate is revoked." };
const alreadyRevoked = { refused: "The certificate is already revoked." };

/** Names of owners: few, so that each owns many certificates and transfers often go to an earlier owner. */
export const ownerNames: readonly string[] = Array.from({ length: 12 }, (_, n) => `Owner${n}`);

/** Returns the person to whom tests issue or transfer certificates. */
export const personNamed = (name: string) => ({ name, email: `${name}@example.test` });

const transferTo = ({ name, email }: PublicCertificate["owner"]) => ({
  request: (target: Target) => ({ ...target, newOwnerName: name, newOwnerEmail: email }),
  changes: () => ({ owner: { name, email } }),
  cause: "in_app",
});

const revocation = (fields: { cause: RevocationCause; reason?: string }, cause: string, shown: string) => ({
  request: (target: Target) => ({ ...target, ...fields }),
  changes: (at: string) => ({ status: "revoked" as const, revokedAt: at, revokedReason: shown }),
  cause,
});

/**
 * The operations on a certificate, each possible after the previous one. Every test and check that treats all
 * operations alike reads them here (CONTRIBUTING.md, "Add a lifecycle operation").
 */
export const lifecycleCases = {
  verify: lifecycleCase({
    method: VerificationService.method.recordVerification,
    call: ({ verification }) => verification.recordVerification,
    event: "VERIFIED",
    effects: { active: "active", revoked: "revoked", "revoked and expired": "revoked", expired: "expired" },
    contents: [{ request: (target) => target, changes: () => ({}), cause: "verification_page" }],
    changesNothing: "when repeated",
    isChange: ({ isFirst }) => isFirst,
    limits: {},
    certctl: undefined,
    recordedAt: "2026-03-08T17:21:09.412Z",
    weights: { model: 3, checks: 10 },
  }),
  transfer: lifecycleCase({
    method: LifecycleService.method.transferCertificate,
    call: ({ lifecycle }) => lifecycle.transferCertificate,
    event: "TRANSFERRED",
    effects: { active: "active", revoked, "revoked and expired": revoked, expired },
    contents: [
      transferTo({ name: "Ben Example", email: "ben@example.com" }),
      ...ownerNames.map(personNamed).map(transferTo),
    ],
    changesNothing: "when equal",
    isChange: ({ unchanged }) => !unchanged,
    limits: {
      newOwnerName: [
        ["x", x(255)],
        ["", x(256), "a\u0007b"],
      ],
      newOwnerEmail: [
        ["a@b", email(254)],
        ["", "a.b", "a@b@c", email(255)],
      ],
    },
    certctl: ["1", "--name", "Grace", "--email", "grace@example.test"],
    recordedAt: "2026-04-05T06:07:08.009Z",
    weights: { model: 4, checks: 29 },
  }),
  report: lifecycleCase({
    method: VerificationService.method.reportProblem,
    call: ({ verification }) => verification.reportProblem,
    event: "REPORTED",
    effects: { active: "active", revoked: "revoked", "revoked and expired": "revoked", expired: "expired" },
    contents: [
      {
        request: (target) => ({ ...target, content: "The seam is open." }),
        changes: () => ({}),
        cause: "verification_page",
      },
      { request: (target) => ({ ...target, content: "It is fake." }), changes: () => ({}), cause: "verification_page" },
    ],
    changesNothing: "never",
    isChange: () => true,
    limits: {
      content: [
        ["x", x(4_000), "first line\r\nsecond line\n"],
        ["", " \n\t", x(4_001)],
      ],
      reporterEmail: [
        ["", "a@b", email(254)],
        ["a.b", " ", email(255)],
      ],
      kind: [[ReportKind.OTHER], []],
    },
    certctl: undefined,
    recordedAt: "2026-04-12T18:40:27.655Z",
    weights: { model: 3, checks: 14 },
  }),
  revoke: lifecycleCase({
    method: LifecycleService.method.revokeCertificate,
    call: ({ lifecycle }) => lifecycle.revokeCertificate,
    event: "REVOKED",
    effects: { active: "revoked", revoked: alreadyRevoked, "revoked and expired": alreadyRevoked, expired },
    contents: [
      revocation({ cause: RevocationCause.REFUND }, "refund", "Refund"),
      revocation({ cause: RevocationCause.ORDER_CANCELLED }, "order_cancelled", "Order cancelled"),
      revocation({ cause: RevocationCause.IN_APP }, "in_app", "Revoked by the store"),
      revocation({ cause: RevocationCause.REFUND, reason: "Money back" }, "refund", "Money back"),
      revocation(
        { cause: RevocationCause.ORDER_CANCELLED, reason: "Payment failed" },
        "order_cancelled",
        "Payment failed",
      ),
      revocation(
        { cause: RevocationCause.IN_APP, reason: "Stolen — “reported” 盗難" },
        "in_app",
        "Stolen — “reported” 盗難",
      ),
    ],
    changesNothing: "never",
    isChange: () => true,
    limits: {
      cause: [[RevocationCause.IN_APP], [0, 4, -1]],
      reason: [
        ["", "x", x(255)],
        [x(256), "a\nb"],
      ],
    },
    certctl: ["1"],
    recordedAt: "2026-04-14T09:15:30.120Z",
    weights: { model: 6, checks: 12 },
  }),
  reactivate: lifecycleCase({
    method: LifecycleService.method.reactivateCertificate,
    call: ({ lifecycle }) => lifecycle.reactivateCertificate,
    event: "REACTIVATED",
    effects: {
      active: { refused: "The certificate is already active." },
      revoked: "active",
      "revoked and expired": expired,
      expired,
    },
    contents: [
      {
        request: (target) => target,
        changes: () => ({ status: "active", revokedAt: null, revokedReason: null }),
        cause: "in_app",
      },
    ],
    changesNothing: "never",
    isChange: () => true,
    limits: {},
    certctl: ["1"],
    recordedAt: "2026-04-20T08:02:44.731Z",
    weights: { model: 6, checks: 24 },
  }),
} satisfies Readonly<Record<string, LifecycleCase>>;

/** Name of a row of {@link lifecycleCases}. */
export type CaseName = keyof typeof lifecycleCases;

/** The rows of {@link lifecycleCases} with their names, in order. */
export const caseEntries = Object.entries(lifecycleCases) as readonly (readonly [CaseName, LifecycleCase])[];

/** The name of the operation that takes a certificate from a state to one in which another operation is permitted. */
export function wayOut(state: CertificateState, wanted: LifecycleCase): CaseName | undefined {
  const isPossible = ([, { effects }]: (typeof caseEntries)[number]) => {
    const effect = effects[state];
    return typeof effect === "string" && effect !== state && typeof wanted.effects[effect] === "string";
  };
  return caseEntries.find(isPossible)?.[0];
}
