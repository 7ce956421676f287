import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readBytes, visitorOf } from '../http/index.ts'
import { linkSecretOf } from '../instance/index.ts'
import { networkOf } from '../platform/address-ranges.ts'
import { ConcurrencyLimit } from '../platform/concurrency-limit.ts'
import { readId } from '../platform/ids.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { takeFeedback } from './feedback.ts'
import { fetchText } from './fetch-text.ts'
import { findProvider, NotGenuine } from './providers/index.ts'
import { isKnownCall, readCredential, sayCalled, sayHeard } from './queries.ts'
import { CREDENTIAL } from './sources.ts'

/** SendGrid sends some hundred events at a time. */
const MOST_BYTES = 1024 * 1024

/** Bodies of one network that are read at the same time: until the signature is checked, a caller is unknown. */
const CONCURRENCY = {
  maxRunning: 10,
  maxWaiting: 1_000,
  maxWaitMs: 10_000,
  createError: () => new Error('Too many webhook calls from one network at the same time'),
}

/**
 * What mail providers call when an email has come back: `POST /feedback/{provider}/{workspace id}`. They have no key; each has its own
 * way to prove itself. Each event counts once, so that they may call again, and do: whatever is not a 200.
 */
export function feedbackPages(router: Router<never>, dependencies: ApiDependencies): void {
  const { trustedProxies, publicUrl, secrets, log } = dependencies
  const readSecret = linkSecretOf(dependencies.em)

  const reading = new ConcurrencyLimit(CONCURRENCY)
  const read = (ctx: Context, network: string): Promise<Buffer> =>
    reading.run(network, () => readBytes(ctx, MOST_BYTES))

  const serve = async (ctx: Context & { params: Record<string, string> }, network: string): Promise<number> => {
    const provider = findProvider(ctx.params['provider'] ?? '')
    const workspaceId = readId(ctx.params['workspaceId'] ?? '')
    const em = dependencies.em.fork()
    const kept = provider && workspaceId && (await readCredential(em, workspaceId, provider.name))
    if (!kept) return 404
    const credential = secrets.decrypt(kept, CREDENTIAL)
    const call = { header: (name: string) => ctx.get(name) || undefined, body: await read(ctx, network) }
    const events = await provider.read(call, credential, fetchText)
    const id = provider.idOf?.(call)
    if (id !== undefined && (await isKnownCall(em, workspaceId, provider.name, id))) return 200
    const results = await takeFeedback(dependencies, await readSecret(), workspaceId, provider.name, events)
    await sayHeard(em, workspaceId, provider.name)
    // It is called again with the same.
    if (results.includes('later')) return 503
    if (id !== undefined) await sayCalled(em, workspaceId, provider.name, id)
    return 200
  }

  router.post('/feedback/:provider/:workspaceId', async (ctx: Context & { params: Record<string, string> }) => {
    const network = networkOf(visitorOf(ctx, trustedProxies, publicUrl).address ?? 'unknown')
    let status: number
    try {
      status = await serve(ctx, network)
    } catch (error) {
      if ((error as { kind?: string }).kind !== undefined) throw error
      if (error instanceof NotGenuine) {
        log.warn(
          { reason: error.message, provider: ctx.params['provider'] },
          'A call for a webhook is not its provider’s',
        )
        status = 401
      } else {
        const reason = error instanceof NoSecretsKey ? error.message : undefined
        log.warn({ ...(reason === undefined ? { error } : { reason }) }, 'A provider’s call could not be recorded')
        status = 503
      }
    }
    ctx.status = status
    ctx.type = 'text/plain'
    ctx.body = WORDS[status]
    if (status === 401) ctx.set('WWW-Authenticate', 'Basic realm="feedback"')
    if (status === 503) ctx.set('Retry-After', '60')
  })
}

const WORDS: Readonly<Record<number, string>> = {
  200: 'Thank you\n',
  401: 'This call does not prove whose it is: its signature is missing or wrong, or its password\n',
  404: 'There is no such webhook: set its credential first, with PUT /feedback-sources/{provider}\n',
  503: 'Not now: try again\n',
}
