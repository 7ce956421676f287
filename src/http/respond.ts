import { Readable } from 'node:stream'
import type { OperationResponse } from './operation.ts'
import type { ApiContext } from './state.ts'

/** Writes a response as JSON. Large bodies are streams of JSON text. */
export function respond(ctx: ApiContext, { status, headers = {}, body }: OperationResponse): void {
  for (const [name, value] of Object.entries(headers)) ctx.append(name, value)
  ctx.status = status
  ctx.body = isStream(body) ? Readable.from(body, { objectMode: false }) : JSON.stringify(body)
  ctx.type = 'json'
}

const isStream = (body: unknown): body is AsyncIterable<string> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body
