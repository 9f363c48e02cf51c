import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { access, Peer as ContractPeer, Right, Scope, Work } from "#gen/registry/v1/access_pb.js";
import type { OperatorRight } from "#shared/operators/operator-entry.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import type { Peer } from "#shared/rpc/peer-names.ts";
import { enumNames } from "./enum-names.ts";

/**
 * Who may call a method, which stores a call concerns, and what it does for merchants: the option in
 * `proto/registry/v1/access.proto`.
 */
export interface MethodAccess {
  /** Who may call the method over gRPC: peers, and merchants through the edge. */
  readonly callers: readonly (Peer | "merchant")[];
  /** Right that the operator API requires; null if only gRPC offers the method. */
  readonly right: OperatorRight | null;
  /** The stores that a call concerns. */
  readonly scope: "one_store" | "all_stores" | "no_store" | "new_store";
  /** What the method does for a merchant; null if merchants may not call it. */
  readonly work: "read" | "change" | "search" | null;
}

const peerNames = enumNames(ContractPeer);
const rightNames = enumNames(Right);
const scopeNames = enumNames(Scope);
const workNames = enumNames(Work);

// Methods of libraries, whose contracts cannot state their callers.
const libraryMethods: readonly (readonly [method: string, callers: readonly Peer[]])[] = [
  ["grpc.health.v1.Health/Check", ["edge", "notifier", "operator"]],
  ["grpc.health.v1.Health/Watch", ["edge", "notifier", "operator"]],
  ["grpc.health.v1.Health/List", ["edge", "notifier", "operator"]],
  ["grpc.reflection.v1.ServerReflection/ServerReflectionInfo", ["operator"]],
  ["grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", ["operator"]],
];

/** Reads the option `access` of a method. @throws Error, with the method's name, if it is missing or contradictory */
export function accessOf(method: DescMethod): MethodAccess {
  const option = getOption(method, access);
  const field = (name: keyof typeof option) => `${name} of ${methodName(method)}`;
  const callers = option.callers.map((caller) => peerNames.nameOf(caller, field("callers")));
  const scope = scopeNames.nameIfSet(option.scope, field("scope"));
  const right = rightNames.nameIfSet(option.right, field("right")) ?? null;
  const work = workNames.nameIfSet(option.work, field("work")) ?? null;
  if (callers.length === 0 || scope === undefined)
    throw new Error(`The contract of ${methodName(method)} does not state its callers and scope (option "access").`);
  if (callers.includes("operator") !== (right !== null))
    throw new Error(`The contract of ${methodName(method)} must state a right exactly if operators may call it.`);
  if (callers.includes("merchant") && scope !== "one_store")
    throw new Error(`The contract of ${methodName(method)} must have the scope ONE_STORE, because merchants call it.`);
  if (callers.includes("merchant") !== (work !== null))
    throw new Error(`The contract of ${methodName(method)} must state its work exactly if merchants may call it.`);
  return { callers, right, scope, work };
}

/** Returns the peers that may call a method, named `package.Service/Method`; an empty list for an unknown method. */
export type PermittedCallers = (method: string) => readonly Peer[];

/**
 * Reads who may call the methods of services, of health checks and of reflection.
 *
 * @throws Error if a method's contract does not state its access
 */
export function permittedCallers(services: readonly DescService[]): PermittedCallers {
  const callers = new Map([
    ...libraryMethods,
    ...services.flatMap(({ methods }) =>
      methods.map((method) => [methodName(method), peersWith(accessOf(method))] as const),
    ),
  ]);
  return (method) => callers.get(method) ?? [];
}

/** Returns the peers whose certificates permit a method: the edge calls it for merchants. */
function peersWith({ callers }: MethodAccess): readonly Peer[] {
  return [...new Set(callers.map((caller) => (caller === "merchant" ? "edge" : caller)))];
}
