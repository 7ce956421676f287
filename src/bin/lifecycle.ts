import { isDatabaseUnavailable } from '../db/errors.ts'
import type { RunningPart } from './compose.ts'

/** Calls `stop` at the first SIGINT, SIGTERM or SIGHUP. A second one ends the process where it is. */
export function onStopSignal(stop: (signal: string) => void): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130)
      asked = true
      stop(signal)
    })
  }
}

/** Runs parts until a signal comes or one of them can't go on, and then stops all, in the order given. */
export async function runUntilStopped(parts: RunningPart[], cleanUp: () => Promise<void>): Promise<void> {
  const signal = new Promise<void>((resolve) => onStopSignal(() => resolve()))
  try {
    await Promise.race([signal, ...parts.map((part) => part.ended)])
  } finally {
    for (const part of parts) await part.stop()
    await cleanUp()
  }
}

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (!isDatabaseUnavailable(error)) return message
  return `Postgres is not reachable (${message}). Is it running: "npm start", or what DATABASE_URL names?`
}

/** Runs a composition root: an error is one line that says what to do, and the exit code is 1. */
export function main(run: () => Promise<void>): void {
  run().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`\n${explain(error)}\n`)
      process.exit(1)
    },
  )
}
