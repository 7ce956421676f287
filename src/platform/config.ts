import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { boolean, number, object, string, ValidationError, type InferType } from 'yup'
import { isAddressRange } from './address-ranges.ts'
import { isEmailAddress, isMailbox } from './email-address.ts'
import { readHost } from './public-request.ts'

/** A number in decimal notation. `0x10` and `1e3` are rejected, because they are most likely typos. */
const decimal = () =>
  number().transform((value: number, given: unknown) =>
    typeof given === 'string' && !/^\s*-?\d+(\.\d+)?\s*$/.test(given) ? NaN : value,
  )

const port = (fallback: number) => decimal().integer().min(1).max(65_535).default(fallback)
const address = (form: RegExp, example: string) =>
  string().matches(form, { message: ({ path }) => `${path} must look like ${example}`, excludeEmptyString: true })

const ENCODING_ADVICE =
  'Percent-encode special characters in its user name and password: % as %25, / as %2F, @ as %40, : as %3A, ? as %3F, # as %23'

/** @returns the problem with a URL, or `undefined`. The message never repeats the value, which may contain a password. */
function problemOf(value: string, protocols: RegExp, example: string): string | undefined {
  if (!protocols.test(value)) return `must look like ${example}`
  if (isUnambiguous(value)) return undefined
  const wrong = wrongPart(value) ?? `is not a valid URL; it must look like ${example}. ${ENCODING_ADVICE}`
  return wrong.replace('EXAMPLE', example)
}

/** One or more URLs, separated by spaces. */
const urls = (protocols: RegExp, example: string) =>
  string().test({
    name: 'urls',
    test(value) {
      const problem = splitWords(value)
        .map((each) => problemOf(each, protocols, example))
        .find((each) => each !== undefined)
      return problem === undefined || this.createError({ message: ({ path }) => `${path} ${problem}` })
    },
  })

const splitWords = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '')

const url = (protocols: RegExp, example: string) =>
  string().test({
    name: 'url',
    test(value) {
      const problem = value ? problemOf(value, protocols, example) : undefined
      return problem === undefined || this.createError({ message: ({ path }) => `${path} ${problem}` })
    },
  })

const SMTP_EXAMPLE = 'smtp://user:password@host:587'

/** Finds the faulty part of a URL, unless a secret may be in the wrong place: an @ after the host would end one. */
function wrongPart(value: string): string | undefined {
  const [, host, port] = /^\w+:\/\/(?:[^/?#]*@)?([^@/?#]*?)(?::(\d*))?(?:[/?#][^@]*)?$/.exec(value) ?? []
  if (host === '') return 'has no host; it must look like EXAMPLE'
  return Number(port) > 65_535 ? 'has an invalid port: ports go up to 65535' : undefined
}

/** Returns whether a URL has a host, and nothing after it that looks like the end of an unencoded password. */
function isUnambiguous(value: string): boolean {
  const parsed = URL.parse(value)
  if (!parsed || (parsed.hostname === '' && !parsed.searchParams.has('host'))) return false
  try {
    decodeURIComponent(parsed.username)
    decodeURIComponent(parsed.password)
  } catch {
    return false
  }
  return !/[@\s]/.test(parsed.pathname + parsed.search + parsed.hash)
}

const file = () =>
  string().test({
    name: 'file',
    message: ({ path, value }) => `${path} names a file that does not exist: ${value}`,
    test: (value) => !value || existsSync(value),
  })

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** The whole configuration: every environment variable that Dripline reads, with its default. */
const environment = object({
  DATA_DIR: string().default('./data'),
  RESTORED: boolean().default(false),
  PORT: port(3000),
  HOST: string().default('0.0.0.0'),
  POSTGRES_PORT: port(54321),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  DATABASE_URL: url(/^postgres(ql)?:\/\//, 'postgresql://user:password@host:5432/database'),
  DATABASE_PASSWORD: string(),
  DATABASE_POOL_SIZE: decimal().integer().min(2).max(1000).default(10),
  TEMPORAL_ADDRESS: address(/^(\[[\da-f:.]+\]|[^/\s@:[\]]+):\d+$/i, 'host:7233'),
  TEMPORAL_NAMESPACE: string().default('default'),
  TEMPORAL_UI_URL: url(/^https?:\/\//, 'https://temporal.example.com'),
  TEMPORAL_TASK_QUEUE: string().default('dripline'),
  // Otherwise gRPC rejects the header with an error that repeats the whole key.
  TEMPORAL_API_KEY: string().matches(/^[!-~]*$/, {
    message:
      'TEMPORAL_API_KEY contains a space, a line break or another character that keys never contain. Copy the key again',
    excludeEmptyString: true,
  }),
  TEMPORAL_TLS: boolean().default(false),
  SMTP_URL: url(/^smtps?:\/\//, SMTP_EXAMPLE),
  SMTP_FALLBACK_URL: urls(/^smtps?:\/\//, SMTP_EXAMPLE),
  SMTP_CONNECTIONS: decimal().integer().min(1).max(100).default(5),
  MAIL_CAPTURE: boolean().default(false),
  REQUIRE_VERIFIED_DOMAINS: boolean().default(false),
  SEND_RATE: decimal().moreThan(0).max(100_000),
  MAIL_FROM: string().test({
    name: 'mailbox',
    message: 'MAIL_FROM must look like "Name <name@example.com>"',
    test: (value) => !value || isMailbox(value),
  }),
  TRUSTED_PROXIES: string()
    .default('')
    .test({
      name: 'ranges',
      message: 'TRUSTED_PROXIES must be IP addresses or CIDR ranges, such as 10.0.0.0/8,2001:db8::1',
      test: (value) => splitList(value).every(isAddressRange),
    }),
  WEBHOOK_ALLOWED_HOSTS: string()
    .default('')
    .test({
      name: 'hosts',
      message: 'WEBHOOK_ALLOWED_HOSTS must be names and IP addresses, such as hooks.internal,10.0.0.5',
      test: (value) => splitList(value).every((host) => readHost(host) !== undefined),
    }),
  MEDIA_MAX_MB: decimal().integer().min(1).max(1_000_000).default(1_000),
  SECRETS_KEY: string().min(32, 'SECRETS_KEY must have 32 characters or more: openssl rand -base64 32'),
  DNS_SERVERS: string().default(''),
  /** Without slashes at the end: paths are appended to it. */
  PUBLIC_URL: url(/^https?:\/\//, 'https://mail.example.com').transform((value?: string) => value?.replace(/\/+$/, '')),
  BOUNCE_DOMAIN: string().test({
    name: 'domain',
    message: 'BOUNCE_DOMAIN must be a domain, such as bounces.example.com',
    test: (value) => !value || isEmailAddress(`b@${value}`),
  }),
  BOUNCE_PORT: decimal().integer().min(1).max(65_535),
  BOUNCE_HOST: string().default('0.0.0.0'),
  SMTP_SUBMISSION_PORT: decimal().integer().min(1).max(65_535),
  SMTP_SUBMISSION_HOST: string().default('127.0.0.1'),
  SMTP_SUBMISSION_CERT: file(),
  SMTP_SUBMISSION_KEY: file(),
  SMTP_SUBMISSION_PLAINTEXT: boolean().default(false),
  OIDC_ISSUER: url(/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/, 'https://accounts.example.com'),
  OIDC_CLIENT_ID: string(),
  OIDC_CLIENT_SECRET: string(),
  OIDC_NAME: string().default('single sign-on'),
  METRICS_PORT: decimal().integer().min(1).max(65_535),
  METRICS_HOST: string().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?:\/\//, 'http://collector:4318'),
  WORKFLOW_BUNDLE: file(),
  WORKFLOW_CACHE_SIZE: decimal().integer().min(2).max(100_000).default(500),
  WORKER_SHUTDOWN_SECONDS: decimal().integer().min(0).max(3600).default(20),
  LOG_LEVEL: string().oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

type Environment = InferType<typeof environment>
export interface Config extends Environment {
  /** `DATA_DIR` as an absolute path. */
  dataDir: string
  /** `WEBHOOK_ALLOWED_HOSTS` as a list, each as `hostOf` returns it. */
  webhookAllowedHosts: string[]
  /** `TRUSTED_PROXIES` as a list. */
  trustedProxies: string[]
  /** `DNS_SERVERS` as a list. */
  dnsServers: string[]
  /** Mail servers to try in order if the first one fails. */
  smtpFallbackUrls: string[]
}

const isSwitch = (name = ''): boolean => environment.describe().fields[name]?.type === 'boolean'

/** Variables that can be read from a file, as Docker and Kubernetes provide secrets: `NAME_FILE` is its path. */
const SECRETS = [
  'SECRETS_KEY',
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'TEMPORAL_API_KEY',
  'SMTP_URL',
  'SMTP_FALLBACK_URL',
  'OIDC_CLIENT_SECRET',
]

function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = SECRETS.includes(name) ? env[`${name}_FILE`] : undefined
  if (!path) return undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    throw new Error(`${name}_FILE names a file that cannot be read: ${path}`)
  }
}

function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url
  const parsed = new URL(url)
  parsed.password = password
  return parsed.toString()
}

/**
 * Reads and checks the environment, once, in a composition root. An empty variable counts as unset.
 * @throws {Error} that names every invalid variable and what would be valid, but never a value
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(environment.fields).map((name) => [name, env[name] || readSecret(env, name)]),
  )
  try {
    const values = environment.validateSync(given, { abortEarly: false })
    const { DATABASE_URL, DATABASE_PASSWORD } = values
    return {
      ...values,
      ...(DATABASE_URL ? { DATABASE_URL: withPassword(DATABASE_URL, DATABASE_PASSWORD) } : {}),
      dataDir: resolve(values.DATA_DIR),
      webhookAllowedHosts: splitList(values.WEBHOOK_ALLOWED_HOSTS).map((host) => readHost(host)!),
      trustedProxies: splitList(values.TRUSTED_PROXIES),
      dnsServers: splitList(values.DNS_SERVERS),
      smtpFallbackUrls: splitWords(values.SMTP_FALLBACK_URL),
    }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const problems = error.inner.map(({ path, type, message }) =>
      type === 'typeError' ? `${path} must be ${isSwitch(path) ? 'true or false' : 'a number'}` : message,
    )
    throw new Error(`The configuration is invalid:\n  ${problems.join('\n  ')}`, { cause: error })
  }
}
