import { asText, type JsonObject } from './convert.ts'

/** Headers whose values are secret. */
const SECRET_NAME = /auth|token|secret|password|(?<!idempotency-)key|cookie|signature|credential/i
const REFERENCE = /\$\{env:([A-Za-z_]\w*)\}/g
/** The value of a secret header where its real value is not needed. */
const HIDDEN = '(secret)'

const isSecret = (header: string): boolean => SECRET_NAME.test(header)

type Headers = Record<string, unknown>

const map = (headers: unknown, replace: (name: string, value: unknown) => unknown): Headers =>
  Object.fromEntries(Object.entries(headers as Headers).map(([name, value]) => [name, replace(name, value)]))

/** Hides the values of secret headers. */
export const hideSecrets = (headers: unknown): Headers =>
  map(headers, (name, value) => (isSecret(name) ? HIDDEN : value))

/**
 * Writes the secret headers of a step as references to environment variables: those of the present file, or
 * `${env:WELCOME_AUTHORIZATION}`. If another step of the file has the same header, the variable also has the end of the step's ID,
 * because their servers are not the same.
 *
 * @param among all steps of the file
 * @param present the headers of the present file, by the IDs of their steps
 */
export function referToSecrets(
  step: JsonObject,
  path: string,
  among: readonly JsonObject[],
  present: ReadonlyMap<string, unknown> = new Map(),
): Headers {
  const own = Object.entries(present.get(asText(step['id'])) ?? {})
  const hasHeader = (other: JsonObject, name: string) =>
    Object.keys(other['headers'] ?? {}).some((each) => each.toLowerCase() === name.toLowerCase())
  return map(step['headers'], (name, value) => {
    if (!isSecret(name)) return value
    const [, kept] = own.find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? []
    if (typeof kept === 'string' && kept.match(REFERENCE)) return kept
    const isShared = among.some((other) => other !== step && hasHeader(other, name))
    return `\${env:${variableOf(path, isShared ? `${asText(step['id']).slice(-6)}_${name}` : name)}}`
  })
}

const variableOf = (path: string, name: string): string =>
  `${path.split('/').at(-1)}_${name}`.toUpperCase().replace(/\W/g, '_').replace(/^(\d)/, '_$1')

/** Returns why the headers of a file must not be used. */
export function secretProblem(headers: unknown): string | undefined {
  for (const [name, value] of Object.entries(headers as Headers)) {
    const hasReference = typeof value === 'string' && value.match(REFERENCE) !== null
    if (isSecret(name) && !hasReference)
      return `The header ${name} is secret. Use "\${env:NAME}", and set the variable NAME where you run "dripline apply".`
    if (!isSecret(name) && hasReference)
      return `Only secret headers can have "\${env:NAME}": those with a name such as Authorization or X-Api-Key.`
  }
  return undefined
}

/** Replaces the references in headers by the variables of the environment. @throws {Error} if one is missing */
export const resolveSecrets = (headers: unknown, env: NodeJS.ProcessEnv): Headers =>
  map(headers, (_name, value) =>
    typeof value !== 'string'
      ? value
      : value.replace(REFERENCE, (_reference, name: string) => {
          const secret = env[name]
          if (secret === undefined || secret === '') throw new Error(`Set the environment variable ${name}.`)
          return secret
        }),
  )
