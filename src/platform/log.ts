import { pino, type DestinationStream, type Logger } from 'pino'
import pretty from 'pino-pretty'
import { forTerminal } from './terminal.ts'

/**
 * Opens the log: lines for people where standard output is a terminal, and JSON elsewhere, or to another destination. Errors are
 * written without anything personal: see {@link describeError}.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const isTerminal = destination === undefined && process.stdout.isTTY
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describeError, err: describeError },
      redact: ['*.key', '*.password', '*.authorization'],
    },
    isTerminal ? linesForPeople(process.stdout.fd) : destination,
  )
}

/** @param destination a file's descriptor, or what takes lines */
export function linesForPeople(destination: number | DestinationStream): DestinationStream {
  const lines = pretty({
    destination,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    // Where in the code it was is for whoever has the JSON.
    ignore: 'error.at,error.cause.at,err.at',
    colorize: typeof destination === 'number',
  })
  return { write: (line) => void lines.write(forTerminal(line)) }
}

/**
 * What a log may hold of an error. The texts of database errors repeat statements and values, which can be a contact's,
 * so of those only the code and the names of what they are about are kept.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint, table, cause } = error as Error & Record<'code' | 'constraint' | 'table', unknown>
  const at = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  if (typeof code === 'string' && SQLSTATE.test(code)) return { name: error.name, code, constraint, table, at }
  return { name: error.name, code, message: error.message, at, ...(cause ? { cause: describeError(cause) } : {}) }
}

/** Postgres documentation, appendix A. */
const SQLSTATE = /^[0-9A-Z]{5}$/
