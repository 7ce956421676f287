import { type Listener, listenForBounces } from '../bounces/index.ts'
import { readLinkSecret } from '../instance/index.ts'
import type { Context } from './context.ts'
import { portProblem } from './running-service.ts'

/** Listens for bounces if BOUNCE_PORT is set. @throws {Error} naming `BOUNCE_PORT` if it is in use */
export async function startBounceListener({ config, dependencies, log }: Context): Promise<Listener | undefined> {
  const { BOUNCE_PORT: port, BOUNCE_HOST: host } = config
  if (port === undefined) return undefined
  const secret = await readLinkSecret(dependencies.em.fork())
  try {
    const listener = await listenForBounces(dependencies, secret, { port, host })
    log.info({ port, host }, 'Listening for bounces')
    return listener
  } catch (error) {
    throw portProblem(error as NodeJS.ErrnoException, 'BOUNCE_PORT', port)
  }
}
