import type {
  DescMessage,
  DescMethodUnary,
  JsonObject,
  Message,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { inStore } from "./in-store.ts";
import type { RegistryClients } from "./stack/registry-clients.ts";

/** The states of a certificate that decide what an operation does: its status, and whether it has expired. */
export const certificateStates = ["active", "revoked", "revoked and expired", "expired"] as const;

/** One of {@link certificateStates}. */
export type CertificateState = (typeof certificateStates)[number];

/** Returns the status that a certificate shows in a state. */
export function statusIn(state: CertificateState): PublicCertificate["status"] {
  return state === "revoked and expired" ? "revoked" : state;
}

/** The effect of an operation in a state: the resulting status, or the message with which the call is refused. */
type Effect = PublicCertificate["status"] | { readonly refused: string };

/** The certificate of a request, and the request's idempotency key; the empty string stands for no key. */
export interface Target {
  readonly certificateId: string;
  readonly idempotencyKey: string;
}

/** One content that a request of the operation can have. */
interface Content<Request> {
  readonly request: (target: Target) => Request;
  /** Returns all fields that the change sets in the public JSON, except `updatedAt`. @param at the time of the event */
  readonly changes: (at: string) => Partial<PublicCertificate>;
  /** Cause in the certificate's history. */
  readonly cause: string;
}

/** Fields of a request that have limits: all except those that identify the certificate. */
type LimitedFields<Request extends DescMessage> = Exclude<
  keyof MessageShape<Request>,
  "$typeName" | "$unknown" | "certificateId" | "linkToken" | "idempotencyKey"
>;

/** What INTERFACE.md and the contracts state about one operation: the argument of {@link lifecycleCase}. */
interface CaseOf<Request extends DescMessage, Response extends DescMessage> {
  readonly method: DescMethodUnary<Request, Response>;
  /** Selects the method of the client. */
  readonly call: (
    registry: Pick<RegistryClients, "lifecycle" | "verification">,
  ) => (
    request: MessageInitShape<Request>,
    options: CallOptions,
  ) => Promise<MessageShape<Response> & { readonly certificate?: JsonObject | undefined }>;
  readonly event: Exclude<keyof typeof EventType, "UNSPECIFIED">;
  /** INTERFACE.md §3. */
  readonly effects: Readonly<Record<CertificateState, Effect>>;
  /** At least one. Tests send the first one, and another one where the content matters; checks send any. */
  readonly contents: readonly Content<MessageInitShape<Request>>[];
  /** When a permitted call changes nothing: after an earlier call, or if the public JSON would remain the same. */
  readonly changesNothing: "never" | "when repeated" | "when equal";
  /** Returns whether a response reports a change. */
  readonly isChange: (response: MessageShape<Response>) => boolean;
  /** Values of each field that are accepted and that are refused with `bad_request`. */
  readonly limits: Readonly<
    Record<LimitedFields<Request>, readonly [accepted: readonly unknown[], refused: readonly unknown[]]>
  >;
  /** Arguments of `certctl certificate <operation>`; undefined if operators cannot call the operation. */
  readonly certctl: readonly string[] | undefined;
  /** Time of the event in the examples of the API description. */
  readonly recordedAt: string;
  /** Relative frequencies in the random histories of the model test and in the load of the checks. */
  readonly weights: { readonly model: number; readonly checks: number };
}

/** A response, and what it reports. */
export interface CaseResponse {
  readonly message: Message & { readonly certificate?: JsonObject | undefined };
  readonly bytes: Buffer;
  readonly isChange: boolean;
}

/** A call of an operation. */
export interface CaseCall {
  readonly storeId: string;
  readonly certificateId: string;
  readonly idempotencyKey?: string;
  /** Index of the content, modulo the number of contents. Default: the first one. */
  readonly content?: number;
  /** Fields that replace those of the content. */
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation, for tests that treat all operations alike. */
export interface LifecycleCase
  extends Pick<
    CaseOf<DescMessage, DescMessage>,
    "event" | "effects" | "changesNothing" | "certctl" | "recordedAt" | "weights"
  > {
  readonly method: DescMethodUnary;
  readonly hasIdempotencyKey: boolean;
  readonly contents: readonly Omit<Content<never>, "request">[];
  readonly limits: readonly [field: string, accepted: readonly unknown[], refused: readonly unknown[]][];
  /** Returns the content of a call with this index. */
  contentOf(content: number): Omit<Content<never>, "request">;
  send(registry: Pick<RegistryClients, "lifecycle" | "verification">, call: CaseCall): Promise<CaseResponse>;
}

/** Defines one operation. The type checker requires every field that a test or check reads. */
export function lifecycleCase<Request extends DescMessage, Response extends DescMessage>(
  row: CaseOf<Request, Response>,
): LifecycleCase {
  const { method, contents } = row;
  const contentOf = (index: number) => {
    const content = contents[index % contents.length];
    if (content === undefined) throw new Error(`the lifecycle case of ${method.name} has no content`);
    return content;
  };
  return {
    ...row,
    hasIdempotencyKey: method.input.fields.some(({ name }) => name === "idempotency_key"),
    limits: Object.entries<readonly [readonly unknown[], readonly unknown[]]>(row.limits).map(
      ([field, [accepted, refused]]) => [field, accepted, refused],
    ),
    contentOf,
    async send(registry, { storeId, certificateId, idempotencyKey = "", content = 0, fields, headers }) {
      const request = contentOf(content).request({ certificateId, idempotencyKey });
      const scope = accessOf(method).scope === "one_store" ? inStore(storeId).headers : undefined;
      const message = await row.call(registry)({ ...request, ...fields }, { headers: { ...scope, ...headers } });
      return {
        message,
        bytes: Buffer.from(toBinary(method.output, message)),
        isChange: row.isChange(message),
      };
    },
  };
}
