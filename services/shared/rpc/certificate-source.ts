import type { experimental } from "@grpc/grpc-js";
import type { TlsFiles } from "../tls/tls-files.ts";

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** Supplies grpc-js with the current certificate, private key and trusted authorities. */
export class CertificateSource implements experimental.CertificateProvider {
  readonly #files: Pick<TlsFiles, "value">;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();

  constructor(files: Pick<TlsFiles, "value" | "onChange">) {
    this.#files = files;
    files.onChange(() => {
      for (const listener of this.#identityListeners) listener(this.#identity());
      for (const listener of this.#caListeners) listener(this.#authorities());
    });
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    // Deferred, because a server credential ignores an update that it receives while it adds the listener.
    process.nextTick(() => this.#caListeners.has(listener) && listener(this.#authorities()));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    process.nextTick(() => this.#identityListeners.has(listener) && listener(this.#identity()));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  #authorities(): experimental.CaCertificateUpdate {
    return { caCertificate: Buffer.from(this.#files.value.caPem ?? "") };
  }

  #identity(): experimental.IdentityCertificateUpdate {
    const { certPem, keyPem } = this.#files.value;
    return { certificate: Buffer.from(certPem), privateKey: Buffer.from(keyPem) };
  }
}
