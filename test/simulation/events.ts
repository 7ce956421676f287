export type Event =
  /** A worker started a workflow task at this time. */
  | { kind: 'task'; now: number }
  | { kind: 'signal'; name: string; arg: unknown }
  | { kind: 'cancel' }
  /** The result of a local activity has its time, by which the workflow's time advances. */
  | { kind: 'result'; seq: number; value?: unknown; localAt?: number }
  | { kind: 'result'; seq: number; error: string; localAt?: number }
  | { kind: 'timer'; seq: number }
