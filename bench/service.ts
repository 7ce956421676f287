import { startInstance, type Instance } from '../test/support/instance.ts'

export type { Instance as Service }

/** Starts a service whose requests throw for every response that is not a 2xx, because a benchmark relies on each of them. */
export async function startService(options: Parameters<typeof startInstance>[0] = {}): Promise<Instance> {
  const service = await startInstance(options)
  return {
    ...service,
    async call(method, path, ...rest) {
      const response = await service.call(method, path, ...rest)
      if (response.status >= 300) throw failure(method, path, response.status, JSON.stringify(response.body))
      return response
    },
  }
}

export const failure = (method: string, path: string, status: number, body: string): Error =>
  new Error(`${method} ${path} returned ${status}: ${body}`)
