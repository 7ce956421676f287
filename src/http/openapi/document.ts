import type { AnyObject, ObjectSchema } from 'yup'
import { DEFAULT_RATE_LIMIT } from '../rate-limit.ts'
import { SCOPES } from '../scopes.ts'
import { IDEMPOTENCY_KEY } from '../middleware/idempotency.ts'
import { DEFAULT_BODY_LIMIT, type BodyLimit } from '../body.ts'
import { paramsOf, TAGS, takesIdempotencyKey, type Operation } from '../operation.ts'
import { INVALID_REQUEST, type ErrorDefinition } from '../../platform/api-error.ts'
import {
  BODY_TOO_LARGE,
  COMMON_ERRORS,
  IDEMPOTENCY_ERRORS,
  INVALID_IDEMPOTENCY_KEY,
  MALFORMED_JSON,
  missingRole,
  missingScope,
  PEOPLE_ONLY,
  hasRetryAfter,
  BODY_NOT_AN_OBJECT,
  NOT_A_MEMBER,
  SIGNED_OUT,
  WORKSPACE_MISSING,
  TOO_MANY_PARAMETERS,
  UNKNOWN_PARAMETER,
  WRONG_CONTENT_TYPE,
} from '../errors.ts'
import { REVISION_CONFLICT } from '../../platform/revisions.ts'
import { version } from '../../platform/version.ts'
import { errorResponse } from '../responses.ts'
import { WRONG_ORIGIN } from '../visitor.ts'
import {
  describeRequest,
  describeResponse,
  exampleOf,
  isRequired,
  type Components,
  type JsonSchema,
} from './json-schema.ts'
import { samplesOf } from './samples.ts'

/** The address at which `npm start` serves the API. The page at `/docs` replaces it with its own origin. */
export const SERVER = 'http://localhost:3000'

const DESCRIPTION = `
A self-hosted service for email automation: contacts, lists, tags, segments, automations, campaigns and custom events, in
isolated workspaces.

**API keys.** Send a key as \`Authorization: Bearer <API_KEY>\` or \`x-api-key: <API_KEY>\` with every request. If both are
present, the first one is used. A key has scopes, and may be restricted to IP addresses. Keep keys out of client-side code.

**Errors** are \`{ "error": … }\` with a message for people. The header \`X-Error-Code\` has a code for programs; the codes
are listed for each response below. \`X-Error-Param\` has the location as a JSON pointer, and \`X-Request-Id\` identifies the
request in the log. \`X-Warning\` reports likely mistakes, such as unknown variables of templates.

**Rate limits.** A key may make ${DEFAULT_RATE_LIMIT} requests per 60 seconds, unless it has its own limit. Every response has the number of remaining requests. A 429 has the seconds to wait in \`Retry-After\`.

**Idempotency.** Requests with the same \`Idempotency-Key\` take effect once in 24 hours, and all get the response to the
first one. So a POST or PATCH can be repeated safely after a broken connection or a 5xx. If the contact of the request has since been erased, the response is a 410, and the contact is not created again.

**Bodies** are JSON objects in UTF-8, nested up to 100 levels, without NUL characters. Each operation has its own size limit.
Unknown fields and query parameters are errors, which suggest the nearest known name. IDs are case-insensitive, and returned in lower case.

**Pagination.** Lists take \`page\` (from 1) and \`limit\` (default 50, at most 100), and return the totals. A page after the
last one is empty.
`.trim()

const BODY_ERRORS = [INVALID_REQUEST, MALFORMED_JSON, BODY_NOT_AN_OBJECT, BODY_TOO_LARGE, WRONG_CONTENT_TYPE]

/** A request that Dripline sends. */
export interface WebhookDescription {
  /** The type of the event. */
  name: string
  summary: string
  body: ObjectSchema<AnyObject>
}

/** Builds the OpenAPI 3.1 document of the operations, and of the requests that Dripline sends. */
export function buildDocument(
  operations: readonly Operation[],
  basePath: string,
  webhooks: readonly WebhookDescription[] = [],
): JsonSchema {
  const schemas: Components = {}
  // Requests come first: a component that responses also have is described as for requests, where it has no unknown keys.
  for (const { body } of operations) if (body) describeRequest(body, schemas)
  const error = describeResponse(errorResponse, schemas)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = describeOperation(operation, schemas, error, basePath)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Dripline API',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath, description: 'This service.' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((webhook) => [webhook.name, describeWebhook(webhook, schemas)])),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key. Its scopes are some of: ${SCOPES.join(', ')}.`,
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key in another header.' },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The same key as user name, with any password, for programs that cannot send another header.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'dripline',
          description:
            'The session of a person who is signed in with a browser. The header X-Workspace-Id selects the workspace.',
        },
      },
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries(COMMON_ERRORS).map(([status, { description, reasons }]) => [
          `Error${status}`,
          describeRefusal(Number(status), description, reasons, error),
        ]),
      ),
      schemas,
    },
  }
}

const describeWebhook = ({ name, summary, body }: WebhookDescription, schemas: Components) => ({
  post: {
    operationId: `on${name
      .split(/[._]/)
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('')}`,
    tags: ['Webhooks'],
    summary,
    description: 'Signed by Standard Webhooks with the headers webhook-id, webhook-timestamp and webhook-signature.',
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: describeResponse(body, schemas) } } },
    responses: {
      '2XX': { description: 'Received. Any other response is an error, and the event is sent again.' },
      '410': { description: 'Gone: the webhook is disabled.' },
    },
  },
})

const HEADERS = {
  'X-Request-Id': {
    description: 'The ID of the request: the one that was sent, or a new one. It is also in logs and enrollments.',
    required: true,
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests per 60 seconds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests remaining in the current window.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'The Unix time in seconds when the window will be empty again, if no further request is made.',
    required: true,
    schema: { type: 'integer' },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Error-Code': {
    description: 'The error code, for programs. It stays the same if the message changes.',
    required: true,
    schema: { type: 'string', pattern: '^[a-z_]+$' },
  },
  'X-Error-Param': {
    description:
      'The location of the first problem: a JSON pointer (RFC 6901) into the body, or into the query as an object.',
    schema: { type: 'string', pattern: '^/' },
  },
  ETag: {
    description: 'The revision, for If-Match.',
    required: true,
    schema: { type: 'string' },
  },
  'X-Warning': {
    description: 'Likely mistakes, such as unknown variables of templates.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
const ALWAYS = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

function describeRefusal(
  status: number,
  description: string,
  given: readonly (ErrorDefinition | string)[],
  schema: JsonSchema,
) {
  const reasons = given.map((one) => (typeof one === 'string' ? { ...INVALID_REQUEST, message: one } : one))
  const codes = [...new Set(reasons.map(({ code }) => code))]
  return {
    description: `${description}\n\nX-Error-Code: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    'x-error-codes': codes,
    headers: {
      // Requests are not counted while the database is unavailable.
      ...headersOf(...(status === 503 ? (['X-Request-Id'] as const) : ALWAYS), 'X-Error-Code'),
      ...([400, 404, 409].includes(status) ? headersOf('X-Error-Param') : {}),
      ...describeRetryAfter(reasons),
    },
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(
          reasons.map(({ code, message }, n) => [
            `message${n + 1}`,
            { summary: `${code}: ${message}`, value: { error: message } },
          ]),
        ),
      },
    },
  }
}

/** Describes Retry-After, which is sent with some or all errors of a status. */
function describeRetryAfter(reasons: readonly ErrorDefinition[]) {
  const passing = reasons.filter(({ kind }) => kind === 'rate-limited' || hasRetryAfter(kind))
  if (passing.length === 0) return {}
  if (passing.length === reasons.length) return headersOf('Retry-After')
  return { 'Retry-After': { ...HEADERS['Retry-After'], required: false } }
}

function describeOperation(
  operation: Operation,
  schemas: Components,
  error: JsonSchema,
  basePath: string,
): Record<string, unknown> {
  const { id, tag, summary, description, scope, query, body, errors = {} } = operation
  const keyed = takesIdempotencyKey(operation)
  const responses: Record<string, unknown> = {}
  for (const [status, answer] of Object.entries(operation.responses)) {
    const example = exampleOf(answer.schema)
    responses[status] = {
      description: answer.description,
      headers: headersOf(
        ...ALWAYS,
        'X-Warning',
        ...(operation.etag ? (['ETag'] as const) : []),
        ...(keyed ? (['Idempotent-Replayed'] as const) : []),
      ),
      content: { 'application/json': { schema: describeResponse(answer.schema, schemas), example } },
      ...(answer.links ? { links: describeLinks(answer.links) } : {}),
    }
  }
  const addError = (status: number, text: string, reasons: readonly (ErrorDefinition | string)[]) => {
    responses[status] = describeRefusal(status, text, reasons, error)
  }
  const bad = [
    ...(errors[400] ?? []),
    ...(body ? BODY_ERRORS : []),
    ...(query ? ['limit must be an integer from 1 to 100'] : []),
    TOO_MANY_PARAMETERS,
    ...(operation.open === undefined ? [WORKSPACE_MISSING] : []),
    UNKNOWN_PARAMETER,
    ...(keyed ? [INVALID_IDEMPOTENCY_KEY] : []),
  ]
  addError(400, 'The request is invalid. The message names the fields and what would be valid.', bad)
  const forbidden = [...(errors[403] ?? []), ...forbiddenTo(operation)]
  if (forbidden.length > 0)
    addError(
      403,
      'The key lacks the scope, the person lacks the role, or the request comes from another site.',
      forbidden,
    )
  const own = errors[401] ?? []
  const ofAll = operation.open === undefined ? COMMON_ERRORS[401]!.reasons : [SIGNED_OUT]
  const unauthenticated = operation.open === 'account' || (own.length > 0 && !operation.open) ? [...own, ...ofAll] : own
  if (unauthenticated.length > 0) addError(401, 'The credentials are not valid.', unauthenticated)
  if (errors[429]) {
    const limits = operation.open === undefined ? COMMON_ERRORS[429]!.reasons : []
    addError(429, 'Too many attempts.', [...errors[429], ...limits])
  }
  if (operation.ifMatch) addError(412, 'The resource has changed and no longer matches If-Match.', [REVISION_CONFLICT])
  if (errors[404]) addError(404, 'It does not exist, or belongs to another workspace.', errors[404])
  if (errors[409]) addError(409, 'It conflicts with existing data, or is in use.', errors[409])
  if (keyed) {
    for (const [status, common] of Object.entries(IDEMPOTENCY_ERRORS)) {
      const own = status === '409' ? (errors[409] ?? []) : []
      const text =
        own.length > 0 ? `It conflicts with existing data, or is in use. Or: ${common.description}` : common.description
      addError(Number(status), text, [...own, ...common.reasons])
    }
  }
  for (const status of Object.keys(COMMON_ERRORS)) {
    // Signing in is open to anyone, so the common errors of credentials do not apply.
    if (operation.open === 'anybody' && status === '401' && !errors[401]) continue
    responses[status] ??= { $ref: `#/components/responses/Error${status}` }
  }

  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${whoMay(operation)}`,
    'x-required-scope': scope ?? null,
    ...(operation.orScope && { 'x-alternative-scope': operation.orScope }),
    ...(operation.role ? { 'x-required-role': operation.role } : {}),
    security: securityOf(operation),
    parameters: [
      ...paramsOf(operation).map(({ name, ...param }) => ({
        name,
        in: 'path',
        required: true,
        description: param.description,
        schema: { type: 'string', minLength: 1 },
        example: param.example,
      })),
      ...Object.entries(query?.fields ?? {}).map(([name, field]) => {
        const { description: text, ...schema } = describeRequest(field as never, schemas)
        return { name, in: 'query', required: isRequired(field as never), description: text, schema }
      }),
      ...(operation.ifMatch ? [IF_MATCH] : []),
      ...(keyed
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              description:
                'Makes the request safe to repeat for 24 hours. Use a new UUID for each new request, and no personal data.',
              schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
            },
          ]
        : []),
    ],
    ...(body
      ? {
          requestBody: {
            required: operation.bodyOptional !== true,
            description: limitInWords(operation.bodyLimit ?? DEFAULT_BODY_LIMIT),
            content: { 'application/json': { schema: describeRequest(body, schemas), example: exampleOf(body) } },
          },
        }
      : {}),
    responses,
    'x-codeSamples': samplesOf(operation, SERVER + basePath),
  }
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the version that was read. If it has changed since, nothing is done.',
  schema: { type: 'string' },
  example: '"7"',
}

const SESSION = { session: [] }

/** The credentials that an operation accepts. */
const securityOf = ({ scope, open, takesBasic }: Operation) => {
  if (open === 'anybody') return []
  if (scope === undefined) return [SESSION]
  return [{ bearer: [] }, { apiKey: [] }, ...(takesBasic ? [{ basic: [] }] : []), SESSION]
}

function whoMay({ scope, orScope, role, open }: Operation): string {
  if (open === 'anybody') return 'No credentials are required.'
  if (open === 'account') return 'For people who are signed in.'
  if (scope === undefined) return `Role: \`${role}\`. Not available to API keys.`
  if (scope === null) return 'Any valid key.'
  const byRole = role ? ` Role: \`${role}\`.` : ''
  return orScope ? `Scope: \`${scope}\` or \`${orScope}\`, depending on the request.` : `Scope: \`${scope}\`.${byRole}`
}

/** The errors for callers who lack a permission. */
function forbiddenTo({ scope, orScope, role, open, method }: Operation): ErrorDefinition[] {
  const byRole = role ?? (scope == null || scope.endsWith(':read') ? undefined : 'editor')
  return [
    ...(open === undefined && scope === undefined ? [PEOPLE_ONLY] : []),
    ...(scope ? [missingScope(scope)] : []),
    ...(orScope ? [missingScope(orScope)] : []),
    ...(byRole === undefined || byRole === 'viewer' ? [] : [missingRole(byRole)]),
    ...(open === undefined ? [NOT_A_MEMBER] : []),
    ...(method === 'GET' ? [] : [WRONG_ORIGIN]),
  ]
}

function limitInWords({ bytes, values }: BodyLimit): string {
  const size = bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} KB`
  return `At most ${size} and ${values.toLocaleString('en-US')} values.`
}

const describeLinks = (links: Record<string, Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(links).map(([operationId, parameters]) => [operationId, { operationId, parameters }]),
  )
