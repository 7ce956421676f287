import type { Context } from 'koa'
import type Router from '@koa/router'
import { forRecipients } from '../consent/index.ts'
import type { ApiDependencies } from '../http/index.ts'
import { openVisit, VISIT_PATHS, type VisitOf } from '../signed-links/index.ts'
import { within } from '../platform/bulkhead.ts'
import { recordVisit } from './record-visit.ts'
import { isMachine } from './visitor.ts'

/** Maximum milliseconds that a visitor waits for the event to be recorded. The event is recorded either way. */
const PATIENCE_MS = 1_000

/** A transparent image of one pixel (GIF 89a). */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Serves tracking links and images. Links redirect to their target even if recording fails. */
export function visitPages(router: Router<never>, dependencies: ApiDependencies): void {
  const note = async (ctx: Context, kind: 'OPEN' | 'CLICK', of: VisitOf) => {
    const visit = { ...of, kind, isMachine: isMachine(kind, ctx.method, ctx.req.headers) }
    const late = () => new Error('Recording the tracking event is taking too long')
    try {
      await within(PATIENCE_MS, recordVisit(dependencies.em.fork(), visit), late)
    } catch (error) {
      dependencies.log.warn({ error, kind }, 'Failed to record a tracking event')
    }
  }

  router.get(
    `/${VISIT_PATHS.click}/:token`,
    forRecipients(dependencies, (secret, token) => openVisit(secret, 'click', token))(async (ctx, of) => {
      await note(ctx, 'CLICK', of)
      ctx.status = 302
      ctx.set('Location', new URL(of.url).href)
      ctx.type = 'text/plain'
      ctx.body = ''
    }),
  )

  router.get(
    `/${VISIT_PATHS.open}/:token`,
    forRecipients(dependencies, (secret, token) => openVisit(secret, 'open', token))(async (ctx, of) => {
      await note(ctx, 'OPEN', of)
      ctx.status = 200
      ctx.type = 'image/gif'
      ctx.body = PICTURE
    }),
  )
}
