import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UsageError } from './command.ts'

export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks a question on the terminal. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}

/** Reads a secret from the terminal without showing it, or from standard input. */
export async function readSecret(question: string): Promise<string> {
  if (!isInteractive()) return (await text(process.stdin)).trim()
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** Asks before something that cannot be undone. @throws {UsageError} without `--yes` in a script */
export async function confirm(question: string, isConfirmed: boolean | undefined): Promise<boolean> {
  if (isConfirmed === true) return true
  if (!isInteractive()) throw new UsageError(`${question} Pass --yes to confirm.`)
  return /^y(es)?$/i.test(await ask(`${question} Continue? [y/N] `))
}
