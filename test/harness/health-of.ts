import { credentials, makeClientConstructor } from "@grpc/grpc-js";
import { service } from "grpc-health-check";

const HealthClient = makeClientConstructor(service, "grpc.health.v1.Health");

/** Returns the status that a gRPC server reports in a health check, such as `SERVING`. @param address `host:port` */
export async function healthOf(address: string): Promise<string> {
  const client = new HealthClient(address, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      client.Check?.({ service: "" }, (error: Error | null, reply: { status: string }) => {
        if (error === null) resolve(reply.status);
        else reject(error);
      });
    });
  } finally {
    client.close();
  }
}
