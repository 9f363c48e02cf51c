import type { Middleware, ParameterizedContext } from "koa";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import type { ClientAddress } from "./client-address.ts";
import type { RequestDeadline } from "./request-deadline.ts";
import type { RequestTarget } from "./request-target.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** Why a request failed: the public error code, and the thrown error for the log. */
interface Failure {
  readonly code: ErrorCode;
  readonly thrown: unknown;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The state of one request, shared by its middleware. */
export interface EdgeState extends Mutable<RequestDeadline> {
  /** Generated, never taken from the client; the `X-Request-Id` of the response. */
  requestId: string;
  /** Id of the request's trace; absent while requests are not traced. */
  traceId?: string | undefined;
  target: RequestTarget;
  client: ClientAddress;
  /** The matched route; undefined for unknown paths. */
  route?: string;
  /** Set once the registry has identified the store, even if the plan or the rate limit forbids the request. */
  storeId?: string;
  /**
   * The domain of the store, once the registry has confirmed the merchant's session or knows the message's store. In a
   * request that fails before that, the store of the session when it was last confirmed; absent if it has ended.
   */
  shop?: string | undefined;
  /** The body of the response, if it consists of several parts; otherwise it is in `ctx.body`. */
  bodyParts?: readonly Uint8Array[] | undefined;
  /** The fields of the form in the request; the promise rejects if the form is too large, invalid or incomplete. */
  form?: Promise<URLSearchParams>;
  /** The file in the form; see collectUploads. */
  upload?: Promise<UploadedFile>;
  /** The raw body of a message from a storefront platform; see receiveBody for its rejections. */
  body?: Promise<Buffer>;
  /** The store of a platform's message, once the registry has stored the message. */
  messageShop?: string;
  /**
   * What is known of the change for which a form was sent, if the response cannot say that it was made: no call that
   * could make it was sent (`none`, or `none_repeatable` if the form makes it once however often it is sent), or it may
   * have been made, and the form, if it is sent again, makes it once (`repeatable`) or twice (`uncertain`). With
   * `none`, an earlier request with the same form may have made it. Absent if the request sends no such form.
   */
  change?: "none" | "none_repeatable" | "repeatable" | "uncertain" | undefined;
  /** Set when the response is an error document or an error page. */
  failure?: Failure;
  /** The parts that the page leaves out, each with its error. */
  omitted?: Readonly<Record<string, ServiceError>>;
}

/** Koa's context with the edge's state. */
export type EdgeContext = ParameterizedContext<EdgeState>;

/** Koa middleware with the edge's state. */
export type EdgeMiddleware = Middleware<EdgeState>;
