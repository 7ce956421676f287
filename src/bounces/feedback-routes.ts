import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readBytes, visitorOf } from '../http/index.ts'
import { linkSecretOf } from '../instance/index.ts'
import { networkOf } from '../platform/address-ranges.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import { onBehalfOf } from '../platform/db/pool-shares.ts'
import { readId } from '../platform/ids.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { takeFeedback } from './feedback.ts'
import { fetchText } from './fetch-text.ts'
import { findProvider, NotGenuine } from './providers/index.ts'
import { isKnownCall, readCredential, sayCalled, sayHeard } from './queries.ts'
import { CREDENTIAL } from './sources.ts'

/** SendGrid sends some hundred events at a time. */
const MOST_BYTES = 1024 * 1024

/**
 * How many calls of one network, and how many in all, are read at a time; how many more wait, how long, and how long one may take, in
 * milliseconds: before it is read nobody knows whose it is, and each is held in memory.
 */
const AT_A_TIME = { network: 10, all: 300 }
const LINE = { longest: 1_000, patienceMs: 10_000, refusal: () => new Error('Too many calls are being read') }
const READ_MS = 3_000

/**
 * What mail providers call when an email has come back: `POST /feedback/{provider}/{workspace id}`. They have no key; each has its own
 * way to prove itself. Each event counts once, so that they may call again, and do: whatever is not a 200.
 */
export function feedbackPages(router: Router<never>, dependencies: ApiDependencies): void {
  const { trustedProxies, publicUrl, secrets, log } = dependencies
  const readSecret = linkSecretOf(dependencies.em)

  const [ofNetwork, ofAll] = [createBulkhead(AT_A_TIME.network, LINE), createBulkhead(AT_A_TIME.all, LINE)]
  const read = (ctx: Context, network: string): Promise<Buffer> => {
    const all = async () => {
      // What is not here by then is broken off, and its place is free.
      const late = setTimeout(() => ctx.req.destroy(), READ_MS)
      try {
        return await readBytes(ctx, MOST_BYTES)
      } finally {
        clearTimeout(late)
      }
    }
    return ofNetwork(network, () => ofAll('all', all))
  }

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
      status = await onBehalfOf(network, () => serve(ctx, network))
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
