import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readForm } from '../http/index.ts'
import { openLink } from '../installation/index.ts'
import type { Language } from '../messages/index.ts'
import { isId } from '../platform/ids.ts'
import { forRecipients, languageFor } from './for-recipient.ts'
import { donePage, preferencesPage } from './page.ts'
import { readPreferences } from './queries.ts'
import { setPreferences, type Wish } from './preferences.ts'

/** So many lists are told apart in a form. */
const MOST_LISTS = 100

/**
 * The page that links in emails lead to, and what mail programs send for a button of theirs (RFC 8058). Looking at it changes
 * nothing, because programs that check links look at all of them.
 */
export function preferencesPages(router: Router<never>, dependencies: ApiDependencies): void {
  const forRecipient = forRecipients(dependencies, (secret, token) => openLink(secret, 'unsubscribe', token))

  const show = async (ctx: Context, contactId: string, language: Language, isSaved: boolean) => {
    const preferences = await readPreferences(dependencies.em.fork(), contactId)
    ctx.status = 200
    ctx.body = preferences
      ? preferencesPage(languageFor(ctx, preferences.metadata), preferences, isSaved)
      : donePage(language, false)
  }

  router.get(
    '/unsubscribe/:token',
    forRecipient((ctx, { contactId }, language) => show(ctx, contactId, language, false)),
  )

  router.post(
    '/unsubscribe/:token',
    forRecipient(async (ctx, link, language) => {
      const wish = wishOf(await readForm(ctx))
      if (wish) await setPreferences(dependencies, link, wish)
      return show(ctx, link.contactId, language, wish !== undefined)
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
