import { type AnyObject, mixed, string } from 'yup'
import { WEBHOOK_METHODS, type WebhookMethod } from '../../automation-engine/index.ts'
import { atMost, boundedObject, filledText } from '../../http/index.ts'
import { jsonBytes } from '../../platform/json.ts'
import { isHttpUrl } from '../../platform/public-request.ts'
import { MAX_WEBHOOK_TEMPLATES, webhookTemplates } from '../webhook-texts.ts'
import { presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, StepBase } from './step-type.ts'

export interface WebhookStep extends StepBase<'WEBHOOK'> {
  url: string
  method: WebhookMethod
  headers: Record<string, string>
  body: unknown
  saveAs: string | null
}

export interface WebhookInput {
  id?: string | undefined
  type: 'WEBHOOK'
  name?: string | null | undefined
  url: string
  method?: WebhookMethod | undefined
  headers?: Record<string, string> | undefined
  body?: unknown
  saveAs?: string | null | undefined
}

const MAX_URL_LENGTH = 2_000
const MAX_HEADERS_BYTES = 8 * 1024
const MAX_BODY_BYTES = 64 * 1024
/** Headers that belong to the connection, or that Dripline sets. */
const RESERVED_HEADERS =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*|webhook-.*|idempotency-key)$/i
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e]*$/
const NAME = /^[a-z_][a-z0-9_]{0,49}$/i

const url = () =>
  filledText()
    .test(atMost(MAX_URL_LENGTH))
    .test({
      name: 'url',
      message: ({ path }) => `${path} must be an http or https URL without a user name`,
      test: (value) => value === undefined || isHttpUrl(value),
    })
    .test({
      name: 'template',
      message: ({ path }) => `${path} must not have variables. Send them in the body.`,
      test: (value) => value === undefined || !/\{\{|\{%/.test(value),
    })
    .required()
    .meta({ example: 'https://example.com/hooks/trial' })
const headers = () =>
  boundedObject(MAX_HEADERS_BYTES)
    .test({
      name: 'headers',
      test(value, { path, createError }) {
        for (const [name, text] of Object.entries(value ?? {})) {
          if (!HEADER_NAME.test(name) || typeof text !== 'string' || !HEADER_VALUE.test(text))
            return createError({ message: `${path} must have header names, each with a text of ASCII characters` })
          if (RESERVED_HEADERS.test(name)) return createError({ message: `${path} must not have ${name}` })
        }
        return true
      },
    })
    .meta({
      description: 'Additional request headers. Their values are Liquid templates.',
      example: { 'X-Source': 'dripline' },
    })
const body = () =>
  mixed()
    .nullable()
    .test({
      name: 'bytes',
      message: ({ path }) => `${path} must not be larger than ${MAX_BODY_BYTES} bytes as JSON`,
      test: (value) => value === undefined || jsonBytes(value) <= MAX_BODY_BYTES,
    })
    .meta({
      description:
        'A JSON value. Each text in it is a Liquid template with the variables contact, event and steps, and stays a text. ' +
        'null sends no body.',
      example: { email: '{{ contact.email }}' },
    })
const saveAs = () =>
  string()
    .nullable()
    .matches(NAME, ({ path }) => `${path} must be a name of letters, digits and underscores`)
    .meta({
      description: 'The name under which later conditions and templates find the JSON response: steps.NAME.',
      example: 'account',
    })
const method = () => string().oneOf(WEBHOOK_METHODS).meta({ example: 'POST' })

/** Sends an HTTP request. */
export const webhook: AutomationStepType<'WEBHOOK', WebhookStep, WebhookInput> = {
  input: stepInputOf('WEBHOOK', {
    url: url(),
    method: method(),
    headers: headers(),
    body: body(),
    saveAs: saveAs(),
  })
    .test({
      name: 'templates',
      test: (value: AnyObject, { path, createError }) =>
        webhookTemplates(value).length <= MAX_WEBHOOK_TEMPLATES ||
        createError({ message: `${path} must not have more than ${MAX_WEBHOOK_TEMPLATES} texts with variables` }),
    })
    .meta({
      component: 'WebhookStepInput',
      description: 'Sends a signed HTTP request. Without a response of the class 2xx, it is repeated for about 3 days.',
    }),
  shape: stepResponseOf('WEBHOOK', {
    url: url(),
    method: method().required(),
    headers: headers().required(),
    body: body().defined(),
    saveAs: saveAs().defined(),
  }).meta({ component: 'WebhookStep', description: 'Sends an HTTP request.' }),
  fromInput: (
    { type, name, url: to, method: verb = 'POST', headers: extra = {}, body: json = null, saveAs: as },
    id,
  ) => ({
    id,
    type,
    ...(name != null && { name }),
    url: to,
    method: verb,
    headers: extra,
    body: json,
    saveAs: as ?? null,
  }),
  toAnswer: (step, position) => ({
    ...presentCommon(step, position),
    url: step.url,
    method: step.method,
    headers: step.headers,
    body: step.body,
    saveAs: step.saveAs,
  }),
  templates: (input) =>
    webhookTemplates(input).map(({ source, path, isLine }) => ({
      content: isLine ? { subject: source, html: null, text: null } : { subject: '', html: null, text: source },
      pathOf: () => path,
    })),
  store: (step) => step,
  restore: (stored) => stored,
}
