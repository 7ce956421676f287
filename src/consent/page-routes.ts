import type { Context } from 'koa'
import type Router from '@koa/router'
import { type ApiDependencies, readForm } from '../http/index.ts'
import { openLink } from '../signed-links/index.ts'
import type { Language } from '../messages/index.ts'
import { isId } from '../platform/ids.ts'
import { forRecipients, languageFor } from './for-recipient.ts'
import { donePage, preferencesPage } from './page.ts'
import { readErased } from './erased-queries.ts'
import { readPreferences } from './queries.ts'
import { setPreferences, type PreferenceChange } from './preferences.ts'

/** So many lists are told apart in a form. */
const MAX_LISTS = 100

/**
 * The page that links in emails lead to, and what mail programs send for a button of theirs (RFC 8058). Looking at it changes
 * nothing, because programs that check links look at all of them.
 */
export function preferencesPages(router: Router<never>, dependencies: ApiDependencies): void {
  const forRecipient = forRecipients(dependencies, (secret, token) => openLink(secret, 'unsubscribe', token))

  const show = async (ctx: Context, contactId: string, language: Language, isSaved: boolean) => {
    const em = dependencies.em.fork()
    const preferences = await readPreferences(em, contactId)
    if (preferences) {
      ctx.body = preferencesPage(languageFor(ctx, preferences.metadata), preferences, isSaved)
      return
    }
    const erased = await readErased(em, contactId)
    // Her address may be somebody's again, whom she can keep from being mailed; what she had is gone.
    ctx.body =
      erased?.isUnsubscribed === false
        ? preferencesPage(language, { isUnsubscribed: false, lists: [] }, false)
        : donePage(language, false)
  }

  router.get(
    '/unsubscribe/:token',
    forRecipient((ctx, { contactId }, language) => {
      ctx.status = 200
      return show(ctx, contactId, language, false)
    }),
  )

  router.post(
    '/unsubscribe/:token',
    forRecipient(async (ctx, link, language) => {
      const wish = wishOf(await readForm(ctx))
      const isDone = wish !== undefined && (await setPreferences(dependencies, link, wish))
      // To a mail program, any 200 is that it was done.
      ctx.status = isDone ? 200 : wish ? 410 : 400
      return show(ctx, link.contactId, language, isDone)
    }),
  )
}

/** @returns what a form wants; `undefined` where it says nothing that is known: then nothing is done */
function wishOf(form: URLSearchParams): PreferenceChange | undefined {
  if ([...form].some(([name, value]) => isOneClick(name, value))) return { kind: 'nothing' }
  const choice = form.get('choice')
  if (choice === 'nothing' || choice === 'everything') return { kind: choice }
  if (choice !== 'lists') return undefined
  return { kind: 'lists', ids: form.getAll('list').filter(isId).slice(0, MAX_LISTS) }
}

/** As RFC 8058 has it, however it is spelled, and with a line end behind it: who sends it means it. */
const isOneClick = (name: string, value: string): boolean =>
  name.trim().toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click'
