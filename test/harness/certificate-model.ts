import { isDeepStrictEqual } from "node:util";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { type CaseName, lifecycleCases, personNamed } from "./lifecycle-cases.ts";

/** One request to the model. */
export interface ModelStep {
  readonly operation: CaseName | "issue" | "issue expired";
  /** Index of the certificate in the order of issue, from 0; may be out of range. Ignored when issuing. */
  readonly target: number;
  /** Index of the buyer in {@link modelBuyers}, or of the content of the operation's request. */
  readonly content: number;
  /** The empty string when the request has no key. A `verify` request never has one. */
  readonly idempotencyKey: string;
}

/** Expected state of a certificate. */
type ModelCertificate = Pick<PublicCertificate, "status" | "owner" | "originalBuyer" | "revokedReason">;

/** Expected result of a request: a refusal, the response to the identical earlier request, no effect, or a change. */
type ModelAnswer =
  | { readonly refused: "not_found" | "failed_precondition" | "conflict" }
  | { readonly repeats: ModelStep }
  | "nothing new"
  | "changed";

/** The persons to whom certificates are issued. */
export const modelBuyers = [personNamed("ada"), personNamed("grace")] as const;

/** Reference model of a store's certificates (INTERFACE.md §2 to §6), in memory. */
export class CertificateModel {
  /** Current states, in the order of issue. */
  readonly certificates: ModelCertificate[] = [];
  /** Events in order, each with the resulting state of the certificate. */
  readonly events: { readonly type: string; readonly target: number; readonly after: ModelCertificate }[] = [];
  readonly #first = new Map<string, ModelStep>();

  do(step: ModelStep): ModelAnswer {
    const { operation, target, content, idempotencyKey } = step;
    const before = this.certificates[target];
    // A report request does not state the store, so the certificate is looked up before the idempotency key.
    if (operation === "report" && before === undefined) return { refused: "not_found" };
    const first = this.#first.get(idempotencyKey);
    if (first !== undefined) return isSame(first, step) ? { repeats: first } : { refused: "conflict" };
    if (operation === "issue" || operation === "issue expired") {
      const buyer = modelBuyers[content % modelBuyers.length] ?? modelBuyers[0];
      const issued = { status: "active", owner: buyer, originalBuyer: buyer, revokedReason: null } as const;
      const index = this.certificates.length;
      const answer = this.#record(step, "ISSUED", index, issued);
      // The certificate expires after its event has been written.
      if (operation === "issue expired") this.certificates[index] = { ...issued, status: "expired" };
      return answer;
    }
    if (before === undefined) return { refused: "not_found" };
    const { event, effects, changesNothing, contentOf } = lifecycleCases[operation];
    if (typeof effects[before.status] !== "string") return { refused: "failed_precondition" };
    const wasDone = this.events.some((earlier) => earlier.type === event && earlier.target === target);
    const after = modelled({ ...before, ...contentOf(content).changes("") });
    if (changesNothing === "when repeated" && wasDone) return "nothing new";
    if (changesNothing === "when equal" && isDeepStrictEqual(after, before)) return "nothing new";
    return this.#record(step, event, target, after);
  }

  /** Indexes of the certificates, least recently changed first. */
  get order(): number[] {
    const lastChange = (target: number) => this.events.findLastIndex((event) => event.target === target);
    return [...this.certificates.keys()].sort((a, b) => lastChange(a) - lastChange(b));
  }

  #record(step: ModelStep, type: string, target: number, after: ModelCertificate): "changed" {
    if (step.idempotencyKey !== "") this.#first.set(step.idempotencyKey, step);
    this.certificates[target] = after;
    this.events.push({ type, target, after });
    return "changed";
  }
}

/** Returns the fields of a certificate that the model knows. */
export function modelled({ status, owner, originalBuyer, revokedReason }: ModelCertificate): ModelCertificate {
  return { status, owner, originalBuyer, revokedReason };
}

function isSame(a: ModelStep, b: ModelStep): boolean {
  if (a.operation !== b.operation) return false;
  if (a.operation === "issue" || a.operation === "issue expired") return a.content === b.content;
  const { contentOf } = lifecycleCases[a.operation];
  return a.target === b.target && contentOf(a.content) === contentOf(b.content);
}
