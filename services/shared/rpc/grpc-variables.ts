import { z } from "zod";
import { file } from "../config/variable-types.ts";
import { peerDomain } from "./peer-names.ts";

/** The variables of a service that uses gRPC, to be spread into its `defineConfig`. */
export const grpcVariables = {
  grpcTls: z
    .enum(["on", "off"], "must be on or off")
    .default("on")
    .describe("gRPC encryption and authorization: on, or off for a network that only the services can reach"),
  grpcCertFile: file.describe("PEM file with the gRPC certificate and its intermediates; required unless TLS is off"),
  grpcKeyFile: file.describe("PEM file with the gRPC certificate's private key; required unless TLS is off"),
  grpcCaFile: file.describe(
    "PEM file with the certificates of the authorities that sign gRPC certificates; required unless TLS is off",
  ),
  grpcCertDomain: z
    .string()
    .regex(peerDomain, "must be a domain name in lower case, of at most 200 characters")
    .default("certificate-registry.internal")
    .describe(
      "Parent domain of the names in gRPC certificates; by default, the edge's name is edge.certificate-registry.internal",
    ),
};

/** The parsed values of {@link grpcVariables}. */
export type GrpcSettings = z.output<z.ZodObject<typeof grpcVariables>>;
