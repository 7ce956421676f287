import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  assertMayUse,
  type Caller,
  type OperationResponse,
  parse,
  paramsOf,
  type RunOperation,
  type ToApiError,
  type Visitor,
} from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import { PERSONAL_SCOPE, type Tool } from './tool.ts'

/** The HTTP request in which a tool is called. */
export interface ToolCall {
  caller: Caller
  visitor: Visitor
  requestId: string
}

interface Parts {
  run: RunOperation
  toApiError: ToApiError
}

type Fields = Record<string, unknown>

/** Calls the operation of a tool, for the key of the request. An error of the operation is a result that the agent can read. */
export async function callTool(tool: Tool, given: Fields, call: ToolCall, parts: Parts): Promise<CallToolResult> {
  try {
    assertMayUse(tool.operation, call.caller)
    const answer = await parts.run(tool.operation, { ...call, ...toRequest(tool, given) })
    return toResult(await present(tool, call.caller, answer))
  } catch (error) {
    const { message, code, param } = parts.toApiError(error, call.requestId)
    return { ...toResult({ error: message, code, ...(param !== undefined && { param }) }), isError: true }
  }
}

const toResult = (content: Fields): CallToolResult => ({
  structuredContent: content,
  content: [{ type: 'text', text: JSON.stringify(content) }],
})

/** Splits the arguments of a tool into the parts of a request. The operation validates them. */
function toRequest({ operation, input }: Tool, given: Fields) {
  const params: Record<string, string> = {}
  const query: Record<string, string> = {}
  const body: Fields = {}
  let ifMatch: string | undefined
  const names = paramsOf(operation).map(({ name }) => name)
  for (const name of names) if (typeof given[name] !== 'string') throw invalid(`${name} must be a string`, `/${name}`)
  for (const [name, value] of Object.entries(given)) {
    if (names.includes(name)) params[name] = value as string
    else if (name === 'revision' && operation.ifMatch) ifMatch = toTag(value)
    else if (operation.query && Object.hasOwn(operation.query.fields, name)) query[name] = toText(name, value)
    else body[name] = value
  }
  if (operation.ifMatch && ifMatch === undefined) throw invalid('revision is required', '/revision')
  const [unknown] = operation.body ? [] : Object.keys(body)
  if (unknown !== undefined)
    throw invalid(`${JSON.stringify(unknown.slice(0, MAX_SHOWN))} is not an argument of this tool`)
  return { params, query, body: input ? input.toBody(parse(input.schema, body)) : body, ifMatch }
}

const MAX_SHOWN = 50

function toTag(revision: unknown): string {
  if (!Number.isSafeInteger(revision)) throw invalid('revision must be an integer', '/revision')
  return `"${String(revision)}"`
}

/** Writes an argument as a query string has it. */
function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid(`${name} must be a string or a number`, `/${name}`)
}

/** Selects the fields of a response that the key may see. */
async function present(tool: Tool, { scopes }: Caller, answer: OperationResponse): Promise<Fields> {
  const { data, pagination } = await readBody(answer.body)
  const fields = [...tool.fields, ...(scopes.includes(PERSONAL_SCOPE) ? (tool.personal ?? []) : [])]
  const pick = (from: Fields) =>
    Object.fromEntries(fields.filter((name) => name in from).map((name) => [name, from[name]]))
  const { ETag: etag, 'X-Warning': warning } = answer.headers ?? {}
  return {
    data: Array.isArray(data) ? data.map((item) => pick(item as Fields)) : pick(data as Fields),
    ...(pagination !== undefined && { pagination }),
    ...(etag !== undefined && { revision: Number(etag.replaceAll('"', '')) }),
    ...(warning !== undefined && { warnings: warning }),
  }
}

/** Reads a response, which can be a stream of JSON text. */
async function readBody(body: unknown): Promise<{ data?: unknown; pagination?: unknown }> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return body as { data?: unknown }
  let text = ''
  for await (const chunk of body as AsyncIterable<string>) text += chunk
  return JSON.parse(text) as { data?: unknown }
}
