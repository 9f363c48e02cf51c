import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";

/** A client for each of several services, under the same key as the service. */
export type ClientsOf<Services extends Readonly<Record<string, DescService>>> = {
  readonly [Name in keyof Services]: Client<Services[Name]>;
};

/** Creates a client for each of the services. All of them use the same transport. */
export function createClients<Services extends Readonly<Record<string, DescService>>>(
  services: Services,
  transport: Transport,
): ClientsOf<Services> {
  const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)] as const);
  // The result has the keys of `services`, which TypeScript does not infer.
  return Object.fromEntries(clients) as ClientsOf<Services>;
}
