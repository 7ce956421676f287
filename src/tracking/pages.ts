import type { Context } from 'koa'
import type Router from '@koa/router'
import { forRecipients } from '../consent/index.ts'
import type { ApiDependencies } from '../http/index.ts'
import { openVisit, VISIT_PATHS, type VisitOf } from '../signed-links/index.ts'
import { within } from '../platform/bulkhead.ts'
import { recordVisit } from './record-visit.ts'
import { isMachine } from './visitor.ts'

/** How long whoever follows a link waits for its note, in milliseconds: it is written all the same. */
const PATIENCE_MS = 1_000

/** A picture of one point that is not there (GIF 89a). */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Where links lead by way of us, and pictures that tell of openings. They lead on whatever becomes of the note. */
export function visitPages(router: Router<never>, dependencies: ApiDependencies): void {
  const note = async (ctx: Context, kind: 'OPEN' | 'CLICK', of: VisitOf) => {
    const visit = { ...of, kind, isMachine: isMachine(kind, ctx.method, ctx.req.headers) }
    const late = () => new Error('It was not noted in time')
    try {
      await within(PATIENCE_MS, recordVisit(dependencies.em.fork(), visit), late)
    } catch (error) {
      dependencies.log.warn({ error, kind }, 'A visit of a link in an email was not noted')
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
