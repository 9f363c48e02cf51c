/**
 * Options of every channel to the registry. With them, a channel reconnects to a recovered server within a second or
 * two (by default, grpc-js waits up to two minutes) and detects within 35 s that a connection with calls in progress is
 * dead.
 */
export const channelOptions = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.max_receive_message_length": 16 * 1_024 * 1_024,
  // Otherwise, grpc-js asks the name server for a TXT record, which could change how calls are balanced. Where such
  // queries are never answered, the process could not end for half a minute.
  "grpc.service_config_disable_resolution": 1,
} as const;

/** Options of a channel that sends its calls to all addresses of the registry in turn. */
export const balancing = {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
} as const;
