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

/** The maximum number of lists that a form may contain. */
const MAX_LISTS = 100

/**
 * The preferences page that links in emails lead to, and one-click unsubscribe for mail clients (RFC 8058). Opening the page
 * changes nothing, because link scanners open every link.
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
    // The address may belong to a new contact, who can still unsubscribe. The erased contact's lists are gone.
    ctx.body =
      erased?.isUnsubscribed === false
        ? preferencesPage(language, { senderName: null, isUnsubscribed: false, lists: [] }, false)
        : donePage(language, { senderName: null, mayComeBack: false })
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
      const change = preferenceChangeOf(await readForm(ctx))
      const isDone = change !== undefined && (await setPreferences(dependencies, link, change))
      // A mail client treats any 200 as success.
      ctx.status = isDone ? 200 : change ? 410 : 400
      return show(ctx, link.contactId, language, isDone)
    }),
  )
}

/** Reads the preference change from a form; `undefined` if it contains none. */
function preferenceChangeOf(form: URLSearchParams): PreferenceChange | undefined {
  if ([...form].some(([name, value]) => isOneClick(name, value))) return { kind: 'nothing' }
  const choice = form.get('choice')
  if (choice === 'nothing' || choice === 'everything') return { kind: choice }
  if (choice !== 'lists') return undefined
  return { kind: 'lists', ids: form.getAll('list').filter(isId).slice(0, MAX_LISTS) }
}

/** Matches the field of RFC 8058, ignoring case and surrounding whitespace. */
const isOneClick = (name: string, value: string): boolean =>
  name.trim().toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click'
