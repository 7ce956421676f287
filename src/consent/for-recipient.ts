import type { KeyObject } from 'node:crypto'
import type { Context } from 'koa'
import type { ApiDependencies } from '../http/index.ts'
import { linkSecretOf } from '../instance/index.ts'
import { type Language, languageOf } from '../messages/index.ts'
import { failedPage, PAGE_SECURITY_POLICY } from './page.ts'

type RecipientContext = Context & { params: Record<string, string> }

/**
 * Serves pages that links in emails lead to, without a login: the signed token identifies the contact. Errors are shown as a
 * page in the visitor's language.
 *
 * @param open verifies the token of a link; returns `undefined` if it is invalid
 * @returns a function that makes a handler of `/…/:token`
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
      ctx.set('Content-Security-Policy', PAGE_SECURITY_POLICY)
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

/** The language of a page: the contact's locale, otherwise the one that the browser requests. */
export const languageFor = (ctx: Context, metadata: Record<string, unknown> | undefined): Language =>
  languageOf(metadata?.['locale'], ...acceptedLanguages(ctx))

/**
 * The languages of the `Accept-Language` header (RFC 9110, section 12.5.4), in their order: usually the preferred one is first.
 */
const acceptedLanguages = (ctx: Context): string[] =>
  ctx
    .get('Accept-Language')
    .slice(0, 200)
    .split(',')
    .map((range) => range.split(';', 1)[0]!.trim())
