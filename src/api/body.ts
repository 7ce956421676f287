import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalid } from '../domain/errors.ts'
import { findJsonFault } from '../domain/json.ts'

/** How large a body may be: in bytes, and in values, because a value costs more than the two bytes that it can have. */
export interface BodyLimit {
  bytes: number
  values: number
}

/** What the bodies of most operations are held to; one that takes more says so in its definition. */
export const DEFAULT_BODY_LIMIT: BodyLimit = { bytes: 256 * 1024, values: 40_000 }

export interface Body {
  /** As it came. */
  raw: string
  json: Record<string, unknown>
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/**
 * Reads a JSON body and makes sure that it is an object that can be stored. Sizes come first, while it is read: nothing
 * over a limit is looked into, and no step of it keeps the process from other requests for long.
 *
 * @throws {Refusal} `invalid`, in the specification's words.
 */
export async function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Body> {
  const { headers } = request
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (isThere && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw invalid('The header Content-Type must be application/json')
  }
  if (/[^\s]/.test(headers['content-encoding'] ?? '') && headers['content-encoding'] !== 'identity') {
    throw invalid('The body must be sent as it is, without a Content-Encoding')
  }
  const raw = decode(await collect(request, limit))
  const long = raw.length > DEFAULT_BODY_LIMIT.bytes
  if (long) await nextTurn()
  const json = parse(raw)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw invalid('The request body must be a JSON object')
  }
  if (long) await nextTurn()
  const fault = findJsonFault(json)
  if (fault) throw invalid(fault)
  if (long) await nextTurn()
  return { raw, json: json as Record<string, unknown> }
}

const tooLarge = (): Error => invalid('Request body too large')

async function collect(request: IncomingMessage, { bytes, values }: BodyLimit): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  const count = countValues()
  // Events and not `for await`, which would destroy the connection of a request that is refused.
  await new Promise<void>((resolve, reject) => {
    const end = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      finish()
    }
    const refuse = (error: Error) => {
      request.pause()
      end(() => reject(error))
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > bytes) return refuse(tooLarge())
      if (count(chunk) > values) {
        return refuse(invalid(`Request body too large: it has more than ${values.toLocaleString('en-US')} values`))
      }
      chunks.push(chunk)
    }
    const onEnd = () => end(resolve)
    const onBroken = () => end(() => reject(invalid('The request body ended before it was whole')))
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
  return Buffer.concat(chunks, size)
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = [...'"\\,:[{'].map((character) => character.charCodeAt(0))

/** Counts what JSON will be made of, chunk by chunk, without making it: the marks outside of texts. */
function countValues(): (chunk: Buffer) => number {
  let values = 0
  let inText = false
  let escaped = false
  return (chunk) => {
    for (const byte of chunk) {
      if (inText) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) inText = false
      } else if (byte === QUOTE) inText = true
      else if (byte === COMMA || byte === COLON || byte === BRACKET || byte === BRACE) values += 1
    }
    return values
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('Malformed JSON: the body is not UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    // An empty body is no object, and is told so rather than that it ended too early.
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    throw invalid(`Malformed JSON: ${(error as Error).message}`)
  }
}
