import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readForm, visitorOf } from '../http/index.ts'
import { linkSecretOf, openLink } from '../installation/index.ts'
import { type Language, languageOf } from '../messages/index.ts'
import { networkOf } from '../platform/address-ranges.ts'
import { onBehalfOf } from '../platform/db/pool-shares.ts'
import { isId } from '../platform/ids.ts'
import { donePage, failedPage, POLICY, preferencesPage } from './page.ts'
import { readPreferences } from './queries.ts'
import { setPreferences, type Wish } from './preferences.ts'

/** So many lists are told apart in a form. */
const MOST_LISTS = 100

/**
 * The page that links in emails lead to, and what mail programs send for a button of theirs (RFC 8058). No login is asked for: the
 * link is of one contact, and nobody can make one. Looking at it changes nothing, because programs that check links look at all
 * of them.
 */
export function preferencesPages(router: Router<never>, dependencies: ApiDependencies): void {
  const { em, trustedProxies, publicUrl } = dependencies
  const readSecret = linkSecretOf(em)
  const linkOf = async (token: string) => openLink(await readSecret(), 'unsubscribe', token)

  /** Finds whose page it is, and does something with it; what goes wrong is told to people, in their language. */
  const forRecipient = (serve: (ctx: Context, contactId: string, language: Language) => Promise<void>) =>
    async function forRecipient(ctx: Context & { params: Record<string, string> }) {
      ctx.set('Content-Security-Policy', POLICY)
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.set('X-Robots-Tag', 'noindex')
      ctx.type = 'text/html'
      const language = languageOf(...acceptedLanguages(ctx))
      try {
        await onBehalfOf(networkOf(visitorOf(ctx, trustedProxies, publicUrl).address ?? 'unknown'), async () => {
          const link = await linkOf(ctx.params['token'] ?? '')
          if (link) return serve(ctx, link.contactId, language)
          ctx.status = 404
          ctx.body = failedPage(language, 'notFound')
        })
      } catch (error) {
        if ((error as { kind?: string }).kind === 'invalid') throw error
        dependencies.log.warn({ error }, 'A page for a recipient failed')
        ctx.status = 503
        ctx.set('Retry-After', '60')
        ctx.body = failedPage(language, 'failed')
      }
    }

  const show = async (ctx: Context, contactId: string, language: Language, isSaved: boolean) => {
    const preferences = await readPreferences(dependencies.em.fork(), contactId)
    const own = languageOf(preferences?.metadata['locale'], ...acceptedLanguages(ctx))
    ctx.status = 200
    ctx.body = preferences ? preferencesPage(own, preferences, isSaved) : donePage(language, false)
  }

  router.get(
    '/unsubscribe/:token',
    forRecipient((ctx, contactId, language) => show(ctx, contactId, language, false)),
  )

  router.post(
    '/unsubscribe/:token',
    forRecipient(async (ctx, contactId, language) => {
      const wish = wishOf(await readForm(ctx))
      if (wish) await setPreferences(dependencies, contactId, wish)
      return show(ctx, contactId, language, wish !== undefined)
    }),
  )
}

/** @returns what a form wants; `undefined` where it says nothing that is known: then nothing is done */
function wishOf(form: URLSearchParams): Wish | undefined {
  if (form.get('List-Unsubscribe')?.toLowerCase() === 'one-click') return { kind: 'nothing' }
  const choice = form.get('choice')
  if (choice === 'nothing' || choice === 'everything') return { kind: choice }
  if (choice !== 'lists') return undefined
  return { kind: 'lists', ids: form.getAll('list').filter(isId).slice(0, MOST_LISTS) }
}

/** Of the header `Accept-Language` (RFC 9110, section 12.5.4), in its order: the first is what somebody likes best, mostly. */
const acceptedLanguages = (ctx: Context): string[] =>
  ctx
    .get('Accept-Language')
    .slice(0, 200)
    .split(',')
    .map((range) => range.split(';', 1)[0]!.trim())
