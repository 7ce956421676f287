import { spawn } from 'node:child_process'
import { eventually } from '../support/eventually.ts'

/** Faults that a proxy can inject into a connection. */
export const TOXICS = {
  latency: { type: 'latency', attributes: { latency: 400, jitter: 300 } },
  bandwidth: { type: 'bandwidth', attributes: { rate: 20 } },
  timeout: { type: 'timeout', attributes: { timeout: 0 } },
  reset: { type: 'reset_peer', attributes: { timeout: 0 } },
} as const
export type Toxic = keyof typeof TOXICS

export interface Toxiproxy {
  add(proxy: string, toxic: Toxic): Promise<void>
  remove(proxy: string, toxic: Toxic): Promise<void>
  /** Enables or disables a proxy. A disabled proxy closes its connections and accepts no new ones. */
  setEnabled(proxy: string, enabled: boolean): Promise<void>
  stop(): void
}

/** Starts toxiproxy with a proxy for each name. */
export async function startToxiproxy(
  path: string,
  apiPort: number,
  proxies: Record<string, { listen: number; upstream: number }>,
): Promise<Toxiproxy> {
  const child = spawn(path, ['-host', '127.0.0.1', '-port', String(apiPort)], { stdio: 'ignore' })
  const call = async (method: string, at: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${apiPort}${at}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    await response.text()
    if (!response.ok && response.status !== 404)
      throw new Error(`toxiproxy responded with ${response.status} to ${method} ${at}`)
  }
  await eventually('toxiproxy', () =>
    call('GET', '/proxies').then(
      () => true,
      () => undefined,
    ),
  )
  for (const [name, { listen, upstream }] of Object.entries(proxies)) {
    await call('POST', '/proxies', { name, listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${upstream}` })
  }
  return {
    add: (proxy, toxic) => call('POST', `/proxies/${proxy}/toxics`, { name: toxic, ...TOXICS[toxic] }),
    remove: (proxy, toxic) => call('DELETE', `/proxies/${proxy}/toxics/${toxic}`),
    setEnabled: (proxy, enabled) => call('POST', `/proxies/${proxy}`, { enabled }),
    stop: () => void child.kill('SIGKILL'),
  }
}
