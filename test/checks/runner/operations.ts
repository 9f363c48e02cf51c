import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { issueItem } from "../../harness/issue-items.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import { type CheckedStore, ownerEmails } from "./checked-store.ts";
import type { RegistryCalls } from "./registry-calls.ts";
import type { ToldChange } from "./told.ts";

/** One operation, ready to be sent as often as it takes: it is the same request each time. */
export interface Operation {
  readonly kind: keyof typeof makers;
  readonly store: CheckedStore;
  /** The certificate that it is about; undefined where it issues. */
  readonly certificateId: string | undefined;
  /** Sends it. @returns the changes that it made, once */
  send(registry: RegistryCalls): Promise<ToldChange[]>;
}

type Send = Operation["send"];

/** What an operation is made of. */
interface Choice {
  readonly store: CheckedStore;
  readonly random: SeededRandom;
  readonly idempotencyKey: string;
  /** Chooses the certificate that it is about. */
  readonly target: () => string;
}

type Maker = (choice: Choice) => Send;

const importMax = 100;

// How often each is chosen, of 100. There are more that change a certificate than that issue one: what was read already
// and moves to the end of the list is what a client can miss.
const weights = { issue: 10, import: 1, revoke: 12, reactivate: 24, transfer: 29, verify: 10, report: 14 };

/**
 * Chooses an operation on a store.
 *
 * @param idempotencyKey makes its repetition harmless
 * @param givenId the certificate that it is about, unless it issues; default: chosen at random
 */
export function chooseOperation(
  store: CheckedStore,
  random: SeededRandom,
  idempotencyKey: string,
  givenId?: string,
): Operation {
  const kind = store.certificateIds.length === 0 ? "issue" : chooseKind(random);
  let certificateId: string | undefined;
  const target = () => {
    certificateId = givenId ?? chooseTarget(store, random);
    return certificateId;
  };
  const send = makers[kind]({ store, random, idempotencyKey, target });
  return { kind, store, certificateId, send };
}

function chooseKind(random: SeededRandom): keyof typeof makers {
  const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<string>(weight).fill(kind));
  return random.pick(kinds) as keyof typeof makers;
}

const makers = {
  issue: ({ store, random, idempotencyKey }) =>
    issue(store, idempotencyKey, [issueItem({ buyer: buyer(random) })], false),
  import: ({ store, random, idempotencyKey }) => {
    // Now and then an export holds orders that were imported before: their units have their certificates already.
    const order = random.chance(0.3) && store.orders > 0 ? random.below(store.orders) : store.orders++;
    const id = String(1_000_000 + order);
    const items = Array.from({ length: 1 + random.below(importMax) }, (_, index) =>
      issueItem({ buyer: buyer(random), order: { id, name: `#${order}`, unit: index + 1 } }),
    );
    return issue(store, idempotencyKey, items, true);
  },
  revoke: ({ store, random, idempotencyKey, target }) => {
    const certificateId = target();
    const cause = random.pick([
      RevocationCause.REFUND,
      RevocationCause.ORDER_CANCELLED,
      RevocationCause.IN_APP,
    ]);
    return async ({ lifecycle }) =>
      shown(
        (await lifecycle.revokeCertificate({ storeId: store.id, certificateId, cause, idempotencyKey }))
          .certificate,
      );
  },
  reactivate: ({ store, idempotencyKey, target }) => {
    const certificateId = target();
    return async ({ lifecycle }) =>
      shown(
        (await lifecycle.reactivateCertificate({ storeId: store.id, certificateId, idempotencyKey }))
          .certificate,
      );
  },
  transfer: ({ store, random, idempotencyKey, target }) => {
    const request = {
      storeId: store.id,
      certificateId: target(),
      idempotencyKey,
      ...newOwner(random),
    };
    return async ({ lifecycle }) => shown((await lifecycle.transferCertificate(request)).certificate);
  },
  // Has no request id: only the first opening changes anything. One whose answer was lost is not told twice.
  verify: ({ target }) => {
    const certificateId = target();
    return async ({ verification }) => {
      const { isFirst } = await verification.recordVerification({ certificateId });
      return isFirst ? [{ certificateId }] : [];
    };
  },
  report: ({ idempotencyKey, target }) => {
    const certificateId = target();
    return async ({ verification }) => {
      await verification.reportProblem({ certificateId, content: "The seam is open.", idempotencyKey });
      return [{ certificateId }];
    };
  },
} satisfies Record<keyof typeof weights, Maker>;

/** The kinds of operations that are chosen from. */
export const operationKinds: readonly string[] = Object.keys(makers);

// Half of the time one that was just issued, so that writers meet on the same certificates.
function chooseTarget({ certificateIds }: CheckedStore, random: SeededRandom): string {
  return random.chance(0.5) ? random.pick(certificateIds.slice(-10)) : random.pick(certificateIds);
}

function buyer(random: SeededRandom) {
  return { name: "Ada Example", email: random.pick(ownerEmails) };
}

function newOwner(random: SeededRandom) {
  return { newOwnerName: "Bob Example", newOwnerEmail: random.pick(ownerEmails) };
}

function issue(
  store: CheckedStore,
  idempotencyKey: string,
  items: ReturnType<typeof issueItem>[],
  isImport: boolean,
): Send {
  return async ({ issuing }) => {
    const request = { storeId: store.id, items, idempotencyKey, isImport };
    const { results } = await issuing.issueCertificates(request);
    const issued = results.filter(({ outcome }) => outcome === IssueOutcome.ISSUED);
    store.certificateIds.push(...issued.map(({ certificateId }) => certificateId));
    return issued.map(({ certificateId }) => ({ certificateId }));
  };
}

function shown(certificate: { readonly [name: string]: unknown } | undefined): ToldChange[] {
  const { id, updatedAt } = certificate ?? {};
  if (typeof id !== "string" || typeof updatedAt !== "string")
    throw new Error("the answer is no certificate");
  return [{ certificateId: id, updatedAt }];
}
