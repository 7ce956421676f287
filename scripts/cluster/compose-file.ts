import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'

export interface ComposeService {
  image: string
  command: string[]
  environment: Record<string, string>
  replicas: number
  /** Milliseconds that it may take to end after SIGTERM. */
  stopMs: number
  /** The ports of this machine by the container's published ports. */
  published: Map<number, number>
}

export interface ComposeFile {
  services: Record<string, ComposeService>
  /** The path of each secret's file. */
  secrets: Record<string, string>
}

interface RawService {
  image?: string
  command?: string[]
  environment?: Record<string, string | number>
  deploy?: { replicas?: number }
  stop_grace_period?: string
  ports?: string[]
}

/**
 * Reads the parts of a Compose file that can run without containers. Variables have the form `${NAME}` or `${NAME:-default}`.
 * @see https://docs.docker.com/reference/compose-file/
 */
export function readComposeFile(path: string, env: NodeJS.ProcessEnv): ComposeFile {
  const text = readFileSync(path, 'utf8').replace(
    /\$(?:\$|\{(\w+)(?::-([^}]*))?\})/g,
    (_all, name: string | undefined, fallback = '') => (name === undefined ? '$' : env[name] || (fallback as string)),
  )
  const { services, secrets = {} } = parse(text, { merge: true }) as {
    services: Record<string, RawService>
    secrets?: Record<string, { file: string }>
  }
  return {
    services: Object.fromEntries(Object.entries(services).map(([name, raw]) => [name, toService(raw)])),
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, { file }]) => [name, resolve(dirname(path), file)]),
    ),
  }
}

const toService = ({ image = '', command = [], environment = {}, deploy, ...raw }: RawService): ComposeService => ({
  image,
  command,
  environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)])),
  replicas: deploy?.replicas ?? 1,
  stopMs: parseInt(raw.stop_grace_period ?? '10s', 10) * 1_000,
  published: new Map(
    (raw.ports ?? []).map((mapping) => {
      const [inside = '', outside = ''] = mapping.split(':').toReversed()
      return [Number(inside), Number(outside)]
    }),
  ),
})
