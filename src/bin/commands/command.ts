import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { forTerminal, jsonForTerminal } from '../../platform/terminal.ts'

/** Modules of a command are loaded when it runs: `--help` must respond immediately, and loading the services takes a second. */
export interface Output {
  json?: true
}

export const addCommand = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).option('--json', 'print JSON')

export const print = (text: string): void => void process.stdout.write(`${forTerminal(text)}\n`)
export const printResult = <Value>(value: Value, { json }: Output, words: (value: Value) => string): void =>
  print(json ? jsonForTerminal(value) : words(value))

export const parseName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  // A list prints each name on one line.
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must not contain line breaks or control characters.')
  return text
}
