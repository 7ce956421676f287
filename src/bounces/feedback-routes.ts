import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readBytes } from '../http/index.ts'
import { linkSecretOf } from '../instance/index.ts'
import { readId } from '../platform/ids.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { receiveFeedback } from './feedback.ts'
import { fetchText } from './fetch-text.ts'
import { findProvider, InvalidSignature } from './providers/index.ts'
import { insertWebhookCall, isKnownWebhookCall, readCredential, updateLastUsed } from './queries.ts'
import { CREDENTIAL_PURPOSE } from './sources.ts'

/** SendGrid sends a few hundred events at a time. */
const MAX_BODY_BYTES = 1024 * 1024

/**
 * Serves the webhooks for bounces: `POST /feedback/{provider}/{workspace id}`. Providers have no API key; each authenticates its
 * calls in its own way. Each event counts once, because providers repeat every call whose response is not 200.
 */
export function feedbackPages(router: Router<never>, dependencies: ApiDependencies): void {
  const { secrets, log } = dependencies
  const readSecret = linkSecretOf(dependencies.em)

  const serve = async (ctx: Context & { params: Record<string, string> }): Promise<number> => {
    const provider = findProvider(ctx.params['provider'] ?? '')
    const workspaceId = readId(ctx.params['workspaceId'] ?? '')
    const em = dependencies.em.fork()
    const kept = provider && workspaceId && (await readCredential(em, workspaceId, provider.name))
    if (!kept) return 404
    const credential = secrets.decrypt(kept, CREDENTIAL_PURPOSE)
    const call = { header: (name: string) => ctx.get(name) || undefined, body: await readBytes(ctx, MAX_BODY_BYTES) }
    const events = await provider.read(call, credential, fetchText)
    const id = provider.idOf?.(call)
    if (id !== undefined && (await isKnownWebhookCall(em, workspaceId, provider.name, id))) return 200
    const results = await receiveFeedback(dependencies, await readSecret(), workspaceId, provider.name, events)
    await updateLastUsed(em, workspaceId, provider.name)
    // The provider repeats the call.
    if (results.includes('later')) return 503
    if (id !== undefined) await insertWebhookCall(em, workspaceId, provider.name, id)
    return 200
  }

  router.post('/feedback/:provider/:workspaceId', async (ctx: Context & { params: Record<string, string> }) => {
    let status: number
    try {
      status = await serve(ctx)
    } catch (error) {
      if ((error as { kind?: string }).kind !== undefined) throw error
      if (error instanceof InvalidSignature) {
        log.warn(
          { reason: error.message, provider: ctx.params['provider'] },
          'Rejected a webhook call that its provider did not sign',
        )
        status = 401
      } else {
        const reason = error instanceof NoSecretsKey ? error.message : undefined
        log.warn(
          { ...(reason === undefined ? { error } : { reason }) },
          'Could not record a webhook call. The provider will repeat it',
        )
        status = 503
      }
    }
    ctx.status = status
    ctx.type = 'text/plain'
    ctx.body = BODIES[status]
    if (status === 401) ctx.set('WWW-Authenticate', 'Basic realm="feedback"')
    if (status === 503) ctx.set('Retry-After', '60')
  })
}

const BODIES: Readonly<Record<number, string>> = {
  200: 'OK\n',
  401: 'The signature or the password of this call is missing or wrong\n',
  404: 'Webhook not found. Set its credential first, with PUT /feedback-sources/{provider}\n',
  503: 'Temporarily unavailable. Try again later\n',
}
