/** The shortest values of an installation. */
export const base = {
  image: { repository: "registry.example.com/certificate-registry" },
  host: "certificates.example.com",
  trial: { mongodb: { enabled: true }, nats: { enabled: true } },
};

/** Peers of a proxy. */
export const peers = [{ podSelector: { matchLabels: { app: "proxy" } } }];
/** Values with an egress proxy. */
export const proxy = (egressProxy: string, to: readonly object[] = peers) => ({
  notifier: { config: { egressProxy } },
  networkPolicy: { egressProxy: { to } },
});
/** Values with settings of the registry. */
export const registry = (config: object) => ({ registry: { config } });
/** Values with an Ingress. */
export const ingress = (tls: boolean) => ({ ingress: { enabled: true, tls: { enabled: tls } } });
