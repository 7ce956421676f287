import { once } from 'node:events'
import { createSecrets } from '../../src/platform/secrets.ts'
import { createDns } from '../../src/platform/dns.ts'
import { writeEntry } from '../../src/audit/index.ts'
import { createKeyAuthentication } from '../../src/workspaces/authenticate-key.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { API } from '../../src/runtime/operations.ts'
import { createApi } from '../../src/http/app.ts'
import type { ApiDependencies } from '../../src/http/dependencies.ts'
import type { Renderer } from '../../src/rendering/renderer.ts'
import type { Service } from './service.ts'

/** A renderer that accepts every template. */
export const lenientRenderer: Renderer = {
  render: () => Promise.reject(new Error('This renderer does not render')),
  check: () => Promise.resolve({ problems: [], variables: [], unknownVariables: [] }),
  renderAll: () => Promise.reject(new Error('This renderer does not render')),
  renderTexts: () => Promise.reject(new Error('This renderer does not render')),
  compile: () => Promise.reject(new Error('This renderer does not compile')),
  problem: () => undefined,
  close: () => Promise.resolve(),
}

export interface ApiWith {
  send(
    method: string,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; refused: string; body: { data?: { id: string }; error?: string } }>
  close(): void
}

/** Dependencies of an API without faults, signed-in members, or requests to other servers. */
export const quietParts = () =>
  ({
    checkReadiness: () => Promise.resolve([]),
    checkHealth: () => [],
    trustedProxies: [],
    webhookAllowedHosts: [],
    isLogWatched: false,
    passwords: createPasswords(),
    secrets: createSecrets(undefined),
    dns: createDns(),
    oidc: undefined,
    publicUrl: undefined,
    lookAtService: () => Promise.reject(new Error('No DNS lookups in this test')),
    sendTestEmail: () => Promise.reject(new Error('No test emails in this test')),
    deliversMail: () => Promise.resolve(false),
    findPublicUrl: () => Promise.resolve(null),
    authenticateSession: () => Promise.resolve(undefined),
    writeAuditEntry: writeEntry,
    recordRequest: () => undefined,
    requireRecentSignIn: () => Promise.resolve(),
    maxRequestsPerWorkspace: 6,
    images: { read: () => Promise.reject(new Error('This test converts no images')), close: () => Promise.resolve() },
    maxMediaBytes: 1024 * 1024,
    sendRate: null,
  }) satisfies Partial<ApiDependencies>

/** Starts another API of a service, with some dependencies replaced by the test, over real HTTP. */
export async function startApiWith(service: Service, parts: Partial<ApiDependencies>): Promise<ApiWith> {
  const api = createApi(
    {
      ...service.context.dependencies,
      renderer: lenientRenderer,
      ...quietParts(),
      authenticateKey: createKeyAuthentication(service.context.orm.em),
      ...parts,
    },
    API,
  )
  const handle = api.callback()
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async send(method, path, body, headers = {}) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
        method,
        headers: { 'x-api-key': service.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const { status, headers: given } = answer
      const refused = `${status} ${given.get('x-error-code')}`
      return { status, refused, body: (await answer.json()) as { data?: { id: string }; error?: string } }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
