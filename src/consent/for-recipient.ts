import type { KeyObject } from 'node:crypto'
import type { Context } from 'koa'
import type { ApiDependencies } from '../http/index.ts'
import { linkSecretOf } from '../instance/index.ts'
import { type Language, languageOf } from '../messages/index.ts'
import { failedPage, POLICY } from './page.ts'

type RecipientContext = Context & { params: Record<string, string> }

/**
 * What serves pages that links in emails lead to. No login is asked for: a link is of one contact, and nobody can make one. What goes
 * wrong is told to people, in their language.
 *
 * @param open finds in the token of a link whose it is; `undefined` where it is none of ours
 * @returns a handler of `/…/:token`, which finds whose page it is and does something with it
 */
export function forRecipients<Link>(
  dependencies: ApiDependencies,
  open: (secret: KeyObject, token: string) => Link | undefined,
) {
  const { em } = dependencies
  const readSecret = linkSecretOf(em)
  const linkOf = async (token: string) => open(await readSecret(), token)

  return (serve: (ctx: RecipientContext, link: Link, language: Language) => Promise<void>) =>
    async function forRecipient(ctx: RecipientContext) {
      ctx.set('Content-Security-Policy', POLICY)
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.set('X-Robots-Tag', 'noindex')
      ctx.type = 'text/html'
      const language = languageOf(...acceptedLanguages(ctx))
      try {
        const link = await linkOf(ctx.params['token'] ?? '')
        if (link) return await serve(ctx, link, language)
        ctx.status = 404
        ctx.body = failedPage(language, 'notFound')
      } catch (error) {
        if ((error as { kind?: string }).kind === 'invalid') throw error
        dependencies.log.warn({ error }, 'A page for a recipient failed')
        ctx.status = 503
        ctx.set('Retry-After', '60')
        ctx.body = failedPage(language, 'failed')
      }
    }
}

/** The language in which somebody is told something: her own, or what her browser asks for. */
export const languageFor = (ctx: Context, metadata: Record<string, unknown> | undefined): Language =>
  languageOf(metadata?.['locale'], ...acceptedLanguages(ctx))

/** Of the header `Accept-Language` (RFC 9110, section 12.5.4), in its order: the first is what somebody likes best, mostly. */
const acceptedLanguages = (ctx: Context): string[] =>
  ctx
    .get('Accept-Language')
    .slice(0, 200)
    .split(',')
    .map((range) => range.split(';', 1)[0]!.trim())
