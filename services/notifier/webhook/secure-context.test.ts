import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { connectTls } from "./connect-tls.ts";
import { stopAfterTest } from "./deliver-fixture.ts";
import { deliverySecureContext } from "./secure-context.ts";
import { startTlsServer } from "./tls-server-fixture.ts";

test.each([
  [{}, "X25519"],
  [{ groups: "P-384" }, "secp384r1"],
])("a connection with the settings %j negotiates the group %s", async (tls, name) => {
  const certificate = await makeServerCertificate();
  const server = stopAfterTest(await startTlsServer(certificate, () => undefined));
  const socket = connectTls({
    socket: connect(server.port, "127.0.0.1"),
    host: "127.0.0.1",
    secureContext: deliverySecureContext({ ...tls, extraAuthoritiesPem: certificate.caPem }),
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  expect(socket.getEphemeralKeyInfo()).toMatchObject({ name });
});
