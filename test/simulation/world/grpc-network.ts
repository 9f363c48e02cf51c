import { Code, ConnectError, type ConnectRouter, createRouterTransport, type Transport } from "@connectrpc/connect";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { notSent } from "#shared/rpc/grpc-failure.ts";
import type { World, WorldProcess } from "./world.ts";

const wayMaxMs = 1;
const lateMaxMs = 12_000;
const defaultTimeoutMs = 5_000;

interface Server {
  readonly process: WorldProcess;
  readonly transport: Transport;
}

/** Unary gRPC calls between processes, each to one of the servers. A history can make them worse. */
export class GrpcNetwork {
  readonly #world: World;
  readonly #servers: Server[] = [];
  /** The share of calls whose request or reply is lost. */
  lossRate = 0;
  /** The share of calls whose request or reply is up to twelve seconds late. */
  lateRate = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Ends all that a history has made worse. */
  recover(): void {
    this.lossRate = 0;
    this.lateRate = 0;
  }

  /** Serves calls in a process until it is killed. */
  serve(process: WorldProcess, routes: (router: ConnectRouter) => void): void {
    const transport = createRouterTransport(routes, {
      router: {
        interceptors: [
          (next) => (request) =>
            next(request).catch((error: unknown) => {
              throw toConnectError(error);
            }),
        ],
      },
    });
    const server = { process, transport };
    this.#servers.push(server);
    process.onKill.add(() => this.#servers.splice(this.#servers.indexOf(server), 1));
  }

  /** Checks the servers' health, as a client does. @returns why no server takes calls; `undefined` if one does */
  async problem(): Promise<string | undefined> {
    await this.#world.delay(this.#world.below(5), this.#world.process);
    return this.#servers.length > 0 ? undefined : "no server takes calls";
  }

  /** The transport of a client, in the process that makes the calls. */
  readonly client: Transport = {
    unary: async (method, signal, timeoutMs = defaultTimeoutMs, header, input) => {
      const world = this.#world;
      const { process } = world;
      const ended = new AbortController();
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof send>>>();
      const send = (server: Server) => server.transport.unary(method, ended.signal, timeoutMs, header, input);
      const end = () => ended.abort(new ConnectError("the caller is gone", Code.Canceled));
      // The server learns of the caller's end from the connection.
      process?.onKill.add(end);
      const expire = () => {
        reject(new ConnectError("the deadline has passed", Code.DeadlineExceeded));
        world.schedule(world.below(wayMaxMs), end);
      };
      const cancelExpiry = world.schedule(timeoutMs, expire, process);
      signal?.addEventListener("abort", () => {
        reject(new ConnectError("cancelled", Code.Canceled));
        end();
      });
      this.#transfer(process, send, resolve, reject);
      try {
        return await promise;
      } finally {
        cancelExpiry();
        process?.onKill.delete(end);
      }
    },
    stream: () => Promise.reject(new Error("simulated gRPC has no streams")),
  };

  /** Sends a request to a server, and its reply to the client. */
  #transfer<T>(
    client: WorldProcess | undefined,
    send: (server: Server) => Promise<T>,
    resolve: (reply: T) => void,
    reject: (error: unknown) => void,
  ): void {
    const world = this.#world;
    const { random } = world;
    const fails = (error: unknown) => world.schedule(world.below(wayMaxMs), () => reject(error), client);
    if (this.#servers.length === 0) {
      fails(notSent(new ConnectError("no server", Code.Unavailable)));
      return;
    }
    const server = random.pick(this.#servers);
    const isLost = random.chance(this.lossRate);
    const [isRequestLost, isSilent] = [random.chance(0.5), random.chance(0.5)];
    const isLate = random.chance(this.lateRate);
    const isRequestLate = random.chance(0.5);
    // A lost connection is noticed, or nothing comes until the deadline.
    const lost = () => isSilent || fails(new ConnectError("the connection was lost", Code.Unavailable));
    const delayMs = (isThisLate: boolean) => world.below(isLate && isThisLate ? lateMaxMs : wayMaxMs);
    if (isLost && isRequestLost) {
      lost();
      return;
    }
    server.process.onKill.add(lost);
    const reply = (answer: () => void) => {
      server.process.onKill.delete(lost);
      if (isLost) lost();
      else world.schedule(delayMs(!isRequestLate), answer, client);
    };
    const run = () =>
      send(server).then(
        (response) => reply(() => resolve(response)),
        (error: unknown) => reply(() => reject(error)),
      );
    world.schedule(delayMs(isRequestLate), run, server.process);
  }
}
