import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectError, createContextKey, createContextValues, type Interceptor } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ServiceError } from "#shared/errors/service-error.ts";
import { discardBody } from "#shared/http/discard-body.ts";
import type { OperatorEntry, OperatorRight } from "#shared/operators/operator-entry.ts";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import type { Peer } from "#shared/rpc/peer-names.ts";
import { SpanKind, startSpan } from "#shared/trace/spans.ts";
import { authenticatedActor } from "../rpc/actor.ts";
import { accessOf } from "../rpc/method-access.ts";
import type { OfferedService } from "../rpc/offered-service.ts";
import type { Caller, ScopeResolver } from "../rpc/resolve-scope.ts";
import { stillStarting } from "../rpc/server/starting-services.ts";
import type { FailedLogins } from "./failed-logins.ts";
import { OperatorCall, type OperatorCallObserver } from "./operator-call.ts";
import { authenticate, mayUseAllStores, type Operators } from "./operators.ts";

// Parsing a body takes up to 0.3 s of processor time per MiB; a batch of 500 items is smaller.
const maxBodyBytes = 1024 * 1024;
// After a longer body, the connection is closed, and the client may see the reset before it has read the response.
const discardedBytesMax = 256 * 1024;

interface OperatorApiDeps {
  /** Returns the operators of the last usable version of the operators' file. */
  readonly operators: () => Operators;
  readonly scopes: Pick<ScopeResolver, "resolve">;
  readonly failedLogins: FailedLogins;
  readonly observe: OperatorCallObserver;
}

interface OfferedMethod {
  readonly method: DescMethod;
  readonly right: OperatorRight;
}

const onlyOperator: ReadonlySet<Peer> = new Set(["operator"]);
const currentCall = createContextKey<OperatorCall | undefined>(undefined);

/**
 * Creates the operator API, which offers the unary methods of services over HTTP/JSON (Connect) and gRPC-Web to scripts
 * and app back ends, for example `POST /registry.v1.LifecycleService/RevokeCertificate` with a JSON body and a token.
 * The token and its rights are checked before the body is read. Do not expose the API to public networks.
 */
export function createOperatorApi(services: readonly OfferedService[], deps: OperatorApiDeps): RequestListener {
  const methods = offeredMethods(services);
  const calls = new WeakMap<object, OperatorCall>();
  const adapter = connectNodeAdapter({
    routes: (router) => {
      for (const { service, mountOnHttp } of services) if (service.methods.some(isOffered)) mountOnHttp(router);
    },
    contextValues: (request) => {
      const call = calls.get(request);
      return createContextValues().set(currentCall, call).set(authenticatedActor, call?.operator?.actor);
    },
    interceptors: [resolveAndObserve(deps.scopes)],
    // A misspelled field must not be treated as omitted.
    jsonOptions: { ignoreUnknownFields: false },
    readMaxBytes: maxBodyBytes,
  });
  return (request, response) => {
    const offered = methods.get(request.url?.split("?", 1)[0] ?? "");
    if (offered === undefined) {
      discardBody(request, response, discardedBytesMax);
      response.writeHead(404).end();
      return;
    }
    const call = new OperatorCall(offered.method, request, response, deps.observe);
    if (!admit(call, offered.right, request, response, deps)) return;
    calls.set(request, call);
    adapter(request, response);
  };
}

/** Responds `unavailable` to every request while the registry waits for its database. */
export const respondStillStarting: RequestListener = (request, response) => {
  discardBody(request, response, discardedBytesMax);
  respond(response, toConnectError(stillStarting()), { "retry-after": "1" });
};

function isOffered(method: DescMethod): boolean {
  return accessOf(method).right !== null;
}

/** Returns the unary methods by path. The streaming methods need HTTP/2, which this server does not speak. */
function offeredMethods(services: readonly OfferedService[]): ReadonlyMap<string, OfferedMethod> {
  const unary = services.flatMap(({ service }) => service.methods.filter(({ methodKind }) => methodKind === "unary"));
  const offered = unary.flatMap((method) => {
    const { right } = accessOf(method);
    return right === null ? [] : { method, right };
  });
  return new Map(offered.map((one) => [`/${methodName(one.method)}`, one]));
}

/** Authenticates a call and checks the operator's right; responds to a refused call. @returns false if refused */
function admit(
  call: OperatorCall,
  right: OperatorRight,
  request: IncomingMessage,
  response: ServerResponse,
  { operators, failedLogins }: OperatorApiDeps,
): boolean {
  const refuse = (cause: unknown, waitSeconds = 0) => {
    const error = toConnectError(cause);
    call.failed(error, { isLimited: waitSeconds > 0 });
    discardBody(request, response, discardedBytesMax);
    respond(response, error, waitSeconds > 0 ? { "retry-after": String(waitSeconds) } : {});
    return false;
  };
  let operator: OperatorEntry;
  try {
    operator = authenticate(operators(), request.headers.authorization);
  } catch (error) {
    const waitSeconds = failedLogins.count(call.peer);
    return refuse(waitSeconds === 0 ? error : tooManyFailures(waitSeconds), waitSeconds);
  }
  call.authenticated(operator);
  return operator.rights.includes(right) || refuse(missingRight(right));
}

function resolveAndObserve(scopes: OperatorApiDeps["scopes"]): Interceptor {
  return (next) => async (request) => {
    const call = request.contextValues.get(currentCall);
    const parent = request.header.get("traceparent") ?? "";
    const span = startSpan(methodName(request.method), { kind: SpanKind.SERVER, parent });
    try {
      if (call?.operator === undefined || request.stream) throw new Error("the call was not admitted");
      const { operator } = call;
      const reply = await span.run(async () => {
        const { method, header, contextValues: values } = request;
        await scopes.resolve({ method, header, values, caller: callerOf(operator) });
        return next(request);
      });
      call.succeeded();
      span.end();
      return reply;
    } catch (cause) {
      const error = toConnectError(cause);
      call?.failed(error);
      span.end(error);
      throw error;
    }
  };
}

function callerOf(operator: OperatorEntry): Caller {
  return { peers: onlyOperator, shops: mayUseAllStores(operator) ? undefined : operator.stores };
}

function respond(response: ServerResponse, error: ConnectError, headers: Readonly<Record<string, string>>): void {
  response
    .writeHead(codeToHttpStatus(error.code), { "content-type": "application/json", ...headers })
    .end(JSON.stringify(errorToJson(error, undefined)));
}

function tooManyFailures(waitSeconds: number): ServiceError {
  return new ServiceError(
    "rate_limited",
    `Too many calls with missing or unknown tokens. Check the token and try again in ${waitSeconds} s.`,
  );
}

function missingRight(right: OperatorRight): ServiceError {
  return new ServiceError(
    "unauthorized",
    `The token does not have the right to ${right}. Use a token with this right.`,
  );
}
