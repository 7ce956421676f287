import { BODY_TOO_LARGE, BODY_NOT_AN_OBJECT, MALFORMED_JSON, WRONG_CONTENT_TYPE } from './errors.ts'
import type { Context, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { invalid, ApiError } from '../platform/api-error.ts'
import { findJsonFault } from '../platform/json.ts'

/**
 * The maximum size of a body, in bytes and in JSON values. Values are limited too, because a value can take two bytes of text and
 * far more memory.
 */
export interface BodyLimit {
  bytes: number
  values: number
  /** False if the operation checks each item of the body for content that cannot be stored, so that one does not affect the others. */
  findsFaults?: boolean
  /** True if the body may be compressed. The limit is that of the uncompressed bytes. */
  takesGzip?: boolean
}

/** Enough for a thousand items with several kilobytes each. */
export const BULK_BODY_LIMIT: BodyLimit = { bytes: 5 * 1024 * 1024, values: 100_000 }

/** The limit of operations that do not set their own. */
export const DEFAULT_BODY_LIMIT: BodyLimit = { bytes: 256 * 1024, values: 40_000 }

export interface Body {
  /** The unparsed text. */
  raw: string
  json: Record<string, unknown>
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/**
 * Reads a JSON body and checks that it is an object that can be stored. Checks the size first: a body over a limit is never
 * parsed.
 *
 * @param isOptional whether an empty body is read as an empty object
 * @throws {ApiError} `invalid`, with the messages of the API specification
 */
export async function readBody(ctx: Context, limit: BodyLimit, isOptional = false): Promise<Body> {
  const { headers } = ctx.req
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!isThere && isOptional) return { raw: '', json: {} }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  // RudderStack's library for Node sends compressed JSON with the type of a form.
  const isCompressed = encoding === 'gzip' && limit.takesGzip === true
  if (isThere && !isCompressed && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ApiError(WRONG_CONTENT_TYPE)
  }
  if (encoding !== '' && encoding !== 'identity' && !isCompressed) {
    throw new ApiError(WRONG_CONTENT_TYPE, { message: 'The body must be sent without a Content-Encoding' })
  }
  const raw = await readText(ctx, limit)
  const json = parse(raw)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ApiError(BODY_NOT_AN_OBJECT)
  }
  const fault = limit.findsFaults === false ? undefined : findJsonFault(json)
  if (fault) throw invalid(fault)
  return { raw, json: json as Record<string, unknown> }
}

/** koa-bodyparser reads the text, with one reader for each size limit. The values are counted before the text is parsed. */
const readers = new Map<number, Middleware>()

function readerOf(bytes: number): Middleware {
  const reader =
    readers.get(bytes) ??
    (bodyParser({
      enableTypes: ['text'],
      extendTypes: { text: ['application/json', 'application/*+json', 'application/x-www-form-urlencoded'] },
      textLimit: `${bytes}b`,
      // Read as bytes: in a string, invalid UTF-8 would be replaced instead of rejected.
      ...({ encoding: null } as object),
      onerror(error) {
        const { type } = error as { type?: string }
        if (type === 'entity.too.large') throw new ApiError(BODY_TOO_LARGE)
        throw new ApiError(MALFORMED_JSON, { message: 'The request body ended too early' })
      },
    }) as Middleware)
  readers.set(bytes, reader)
  return reader
}

/**
 * Reads a text or JSON body unchanged, because its signature covers the exact bytes.
 * @throws {ApiError} if the body is larger than `bytes`
 */
export async function readBytes(ctx: Context, bytes: number): Promise<Buffer> {
  await readerOf(bytes)(ctx, () => Promise.resolve())
  return (ctx.request as { rawBody?: Buffer }).rawBody ?? Buffer.alloc(0)
}

async function readText(ctx: Context, { bytes, values }: BodyLimit): Promise<string> {
  const raw = await readBytes(ctx, bytes)
  if (hasMoreValues(raw, values)) {
    const message = `Request body too large: it has more than ${values.toLocaleString('en-US')} values`
    throw new ApiError(BODY_TOO_LARGE, { message })
  }
  return decode(raw)
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = [...'"\\,:[{'].map((character) => character.charCodeAt(0))

/** Counts the values of a JSON text without parsing it, by the punctuation outside of strings, which is ASCII in UTF-8. */
function hasMoreValues(json: Uint8Array, max: number): boolean {
  let values = 0
  let inText = false
  for (let at = 0; at < json.length && values <= max; at += 1) {
    const mark = json[at]
    if (inText) {
      if (mark === BACKSLASH) at += 1
      else if (mark === QUOTE) inText = false
    } else if (mark === QUOTE) inText = true
    else if (mark === COMMA || mark === COLON || mark === BRACKET || mark === BRACE) values += 1
  }
  return values > max
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError(MALFORMED_JSON, { message: 'Malformed JSON: the body is not UTF-8' })
  }
}

function parse(text: string): unknown {
  try {
    // Checked here, because JSON.parse would report an unexpected end of input.
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    throw new ApiError(MALFORMED_JSON, { message: `Malformed JSON: ${(error as Error).message}` })
  }
}
