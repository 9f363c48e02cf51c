/** The state of the stream to a registry replica, and of the attempts to open one. */
export interface ReplicaState {
  /** Whether a stream is open and accepts requests. */
  readonly hasStream: boolean;
  /** `opening`: a stream is being opened. `paused`: the next attempt waits until the pause has ended. */
  readonly attempt: "none" | "opening" | "paused";
  /** Number of failed attempts since the last stream was opened. */
  readonly failures: number;
}

/**
 * `opened`: the replica accepted a stream. `refused`: an attempt failed. `due`: the pause has ended. `aged`: the stream
 * has reached its maximum age. `lost`: the stream broke, or accepts no more requests.
 */
export type ReplicaEvent = "opened" | "refused" | "due" | "aged" | "lost";

/** The action that the owner must perform: open a stream, report `due` after a pause, or do nothing. */
type ReplicaAction = "open" | "pause" | "none";

/** The state in which the first stream is being opened. */
export const initialState: ReplicaState = { hasStream: false, attempt: "opening", failures: 0 };

/**
 * Decides how to keep a stream to a replica open. An aged stream accepts requests until its successor is open. After a
 * stream is lost, the next attempt starts without a pause, unless the previous attempt failed.
 */
export function nextState(state: ReplicaState, event: ReplicaEvent): [state: ReplicaState, action: ReplicaAction] {
  switch (event) {
    case "opened":
      return [{ hasStream: true, attempt: "none", failures: 0 }, "none"];
    case "refused":
      return [{ ...state, attempt: "paused", failures: state.failures + 1 }, "pause"];
    case "due":
      return [{ ...state, attempt: "opening" }, "open"];
    case "aged":
      return state.attempt === "none" ? [{ ...state, attempt: "opening" }, "open"] : [state, "none"];
    case "lost":
      return state.attempt === "none"
        ? [{ hasStream: false, attempt: "opening", failures: 0 }, "open"]
        : [{ ...state, hasStream: false }, "none"];
  }
}

/** Returns whether requests may wait: the replica has no stream, and a first attempt to open one is in progress. */
export function isConnecting({ hasStream, attempt, failures }: ReplicaState): boolean {
  return !hasStream && attempt === "opening" && failures === 0;
}
