import { pino, type DestinationStream, type Logger } from 'pino'
import pretty from 'pino-pretty'
import { forTerminal } from './terminal.ts'

/**
 * Opens the log: readable lines if standard output is a terminal, and JSON otherwise. Errors are written without personal data:
 * see {@link describeError}.
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
    isTerminal ? linesForPeople(process.stdout.fd) : (destination ?? buffered()),
  )
}

/** Lines that are written together, because a write for each request is a sixth of what a short request costs. */
const buffered = () =>
  pino.destination({ dest: process.stdout.fd, sync: false, minLength: BUFFER_BYTES, periodicFlush: MAX_BUFFERED_MS })

const BUFFER_BYTES = 4_096
/** Maximum milliseconds that a line is buffered. If the process is killed, these lines are lost. */
const MAX_BUFFERED_MS = 100

/** @param destination a file descriptor or a stream of lines */
export function linesForPeople(destination: number | DestinationStream): DestinationStream {
  const lines = pretty({
    destination,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    // Stack traces are only in the JSON log.
    ignore: 'error.at,error.cause.at,err.at',
    colorize: typeof destination === 'number',
  })
  return { write: (line) => void lines.write(forTerminal(line)) }
}

/**
 * The part of an error that is safe to log. Messages of database errors repeat statements and values, which can be personal data, so only
 * their codes and the names of the affected objects are kept.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint, table, cause } = error as Error & Record<'code' | 'constraint' | 'table', unknown>
  const at = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  if (typeof code === 'string' && SQLSTATE.test(code)) return { name: error.name, code, constraint, table, at }
  return { name: error.name, code, message: error.message, at, ...(cause ? { cause: describeError(cause) } : {}) }
}

/** Postgres documentation, appendix A. */
const SQLSTATE = /^[0-9A-Z]{5}$/
