#!/usr/bin/env node
/** `dripline`: the command line for developers. The command line of operators is `src/bin/cli.ts` of the service. */
import { DriplineError } from '@dripline/client'
import packageJson from '../package.json' with { type: 'json' }
import { type Command, helpOf, helpOfAll, type Input, type Options, parseCommand, UsageError } from './command.ts'
import { automationCommands } from './commands/automations.ts'
import { contactCommands } from './commands/contacts.ts'
import { emailCommands } from './commands/emails.ts'
import { eventCommands } from './commands/events.ts'
import { generateCommands } from './commands/generate.ts'
import { importCommands } from './commands/imports.ts'
import { listenCommands } from './commands/listen.ts'
import { loginCommands } from './commands/login.ts'
import { planCommands } from './commands/plan.ts'
import { templateCommands } from './commands/templates.ts'
import { webhookCommands } from './commands/webhooks.ts'
import { connect, NotLoggedInError, readLogin } from './login.ts'
import { createOutput, forTerminal } from './output.ts'

const COMMANDS: readonly Command[] = [
  ...loginCommands,
  ...contactCommands,
  ...importCommands,
  ...eventCommands,
  ...emailCommands,
  ...automationCommands,
  ...planCommands,
  ...templateCommands,
  ...webhookCommands,
  ...listenCommands,
  ...generateCommands,
]

const stdout = (text: string) => void process.stdout.write(text)
const stderr = (text: string) => void process.stderr.write(text)

async function run(argv: string[]): Promise<void> {
  const firstOption = argv.findIndex((one) => one.startsWith('-'))
  const words = firstOption < 0 ? argv : argv.slice(0, firstOption)
  const command = COMMANDS.find(({ call }) => call === words.slice(0, call.split(' ').length).join(' '))
  if (!command) return runWithoutCommand(argv, words)
  const { args, options } = parseCommand(command, argv.slice(command.call.split(' ').length))
  if (options['help'] === true) return stdout(`${helpOf(command)}\n`)
  const output = createOutput(options['json'] === true, stdout, stderr)
  const input: Input<Options> = {
    args,
    options: options as Input<Options>['options'],
    output,
    connect: ({ retries } = {}) => connect(readLogin(process.env), warn(output.note), retries),
  }
  await command.run(input)
}

function runWithoutCommand(argv: string[], [word]: string[]): void {
  if (word === undefined && argv.includes('--version')) return stdout(`${packageJson.version}\n`)
  const isGroup = COMMANDS.some(({ call }) => call.startsWith(`${word} `))
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h') || (isGroup && argv.length === 1)) {
    return stdout(`${helpOfAll(COMMANDS, isGroup ? word : undefined)}\n`)
  }
  throw new UsageError(`Unknown command: ${argv.join(' ')}. See "dripline${isGroup ? ` ${word}` : ''} --help".`)
}

const warn = (note: (text: string) => void) => (warning: string) => note(`Warning: ${warning}`)

/** Exit codes of the command line. */
const FAILED = 1
const WRONG_USAGE = 2
const NO_VALID_KEY = 3

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return WRONG_USAGE
  if (error instanceof NotLoggedInError) return NO_VALID_KEY
  return error instanceof DriplineError && (error.status === 401 || error.status === 403) ? NO_VALID_KEY : FAILED
}

/** Advice after an error, by its code. */
const ADVICE: Record<string, string> = {
  scope_missing: 'Run "dripline login" with a key that has this scope.',
  webhook_not_found: 'See "dripline webhooks list".',
  delivery_not_found: 'See "dripline webhooks deliveries WEBHOOK".',
  webhook_disabled: 'The command is "dripline webhooks update WEBHOOK --enable".',
}

/** Describes an error, and what to do. */
function describe(error: unknown): string {
  if (!(error instanceof DriplineError)) return error instanceof Error ? error.message : String(error)
  const { message, code, status, param, requestId } = error
  const about = param === undefined ? message : `${message} (${param})`
  if (code === 'network_error') return `${about}. Check that the instance is running, or run "dripline login".`
  if (code === 'no_json' || code === 'path_not_found') return `${about}. Check the URL: run "dripline login".`
  if (status === 401) return `${about}. Run "dripline login" with a valid key.`
  if (ADVICE[code] !== undefined) return `${about.replace(/\.$/, '')}. ${ADVICE[code]}`
  return status !== undefined && status >= 500 ? `${about}. Request ID: ${requestId}` : about
}

function report(error: unknown, isJson: boolean): void {
  const message = describe(error)
  if (!isJson) return stderr(`${forTerminal(message)}\n`)
  const { code, status, param, requestId } = error instanceof DriplineError ? error : ({} as Partial<DriplineError>)
  const fallback =
    error instanceof UsageError ? 'wrong_usage' : error instanceof NotLoggedInError ? 'not_logged_in' : 'failed'
  stderr(`${JSON.stringify({ error: { code: code ?? fallback, message, status, param, requestId } })}\n`)
}

// A reader such as `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const argv = process.argv.slice(2)
run(argv).catch((error: unknown) => {
  report(error, argv.includes('--json'))
  process.exitCode = exitCodeOf(error)
})
