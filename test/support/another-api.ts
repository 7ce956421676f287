import { startApi } from '../../src/runtime/api.ts'
import type { Context } from '../../src/runtime/context.ts'
import { serviceAt, type Service } from './service.ts'

type Config = Context['config']

export interface AnotherApi extends Service {
  stop(): Promise<void>
}

/** Starts another API of a service: it has the same database, but other settings. @returns the same workspace at that API */
export async function startAnotherApi(
  { context, workspaceId, key }: Service,
  settings: { [Name in keyof Config]?: Config[Name] | undefined } = {},
  parts: Partial<Context['dependencies']> = {},
): Promise<AnotherApi> {
  const config = { ...context.config, PORT: 0, ...settings } as Config
  const another = { ...context, config, dependencies: { ...context.dependencies, ...parts } }
  const api = await startApi(another)
  return Object.assign(serviceAt(another, api.port), { workspaceId, key, stop: () => api.stop() })
}
