export type Event =
  /** A worker took the workflow up, at this time. */
  | { kind: 'task'; now: number }
  | { kind: 'signal'; name: string; arg: unknown }
  | { kind: 'cancel' }
  /** A local activity's result tells when it came: the workflow's time goes on by that. */
  | { kind: 'result'; seq: number; value?: unknown; localAt?: number }
  | { kind: 'result'; seq: number; error: string; localAt?: number }
  | { kind: 'timer'; seq: number }
