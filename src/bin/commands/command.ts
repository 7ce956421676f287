import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { forTerminal, jsonForTerminal } from '../../platform/terminal.ts'

/**
 * What a noun of the command line does is loaded when it is asked for: `--help` has to be there at once, and the services take
 * a second.
 */
export interface Output {
  json?: true
}

export const command = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).option('--json', 'print JSON')

export const print = (text: string): void => void process.stdout.write(`${forTerminal(text)}\n`)
export const show = <Value>(value: Value, { json }: Output, words: (value: Value) => string): void =>
  print(json ? jsonForTerminal(value) : words(value))

export const parseName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  // A list shows names, each in its line.
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must have no line breaks and no control characters.')
  return text
}
