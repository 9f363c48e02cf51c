import { describe, expect, test } from "vitest";
import { initialState, isConnecting, nextState, type ReplicaEvent, type ReplicaState } from "./replica-state.ts";

/** Applies events to the initial state. @returns the last state and all actions */
function after(...events: readonly ReplicaEvent[]) {
  let state: ReplicaState = initialState;
  const actions = events.map((event) => {
    const [next, action] = nextState(state, event);
    state = next;
    return action;
  });
  return { state, actions };
}

test.each<[string, ReplicaEvent[], Partial<ReplicaState>, string]>([
  ["an accepted stream takes requests", ["opened"], { hasStream: true, attempt: "none" }, "none"],
  ["a refused attempt is followed by a pause", ["refused"], { hasStream: false, attempt: "paused" }, "pause"],
  ["after the pause, a stream is opened", ["refused", "due"], { attempt: "opening", failures: 1 }, "open"],
  ["a lost stream is replaced at once", ["opened", "lost"], { hasStream: false, attempt: "opening" }, "open"],
  ["an aged stream takes requests until its successor is open", ["opened", "aged"], { hasStream: true }, "open"],
  ["a successor replaces the aged stream", ["opened", "aged", "opened"], { hasStream: true, attempt: "none" }, "none"],
  ["an aged stream remains if its successor is refused", ["opened", "aged", "refused"], { hasStream: true }, "pause"],
  [
    "a stream lost during a pause is not replaced twice",
    ["opened", "aged", "refused", "lost"],
    { hasStream: false },
    "none",
  ],
  [
    "a stream lost while its successor is being opened is not replaced twice",
    ["opened", "aged", "lost"],
    { hasStream: false },
    "none",
  ],
  ["an aged stream is not replaced twice", ["opened", "aged", "aged"], { attempt: "opening" }, "none"],
])("%s", (_title, events, expected, action) => {
  const { state, actions } = after(...events);
  expect(state).toMatchObject(expected);
  expect(actions.at(-1)).toBe(action);
});

describe("isConnecting", () => {
  test.each<[boolean, ReplicaEvent[]]>([
    [true, []],
    [false, ["opened"]],
    [true, ["opened", "lost"]],
    [false, ["refused"]],
    [false, ["refused", "due"]],
    [false, ["opened", "aged"]],
  ])("is %s after %j", (expected, events) => {
    expect(isConnecting(after(...events).state)).toBe(expected);
  });
});
