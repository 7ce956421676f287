import type Router from '@koa/router'
import { type ApiDependencies, readForm } from '../http/index.ts'
import { openLink } from '../signed-links/index.ts'
import { confirmRequest } from './confirm.ts'
import { readConfirmationState } from './queries.ts'
import { forRecipients, languageFor } from './for-recipient.ts'
import { confirmPage, confirmedPage } from './page.ts'

/**
 * The page where a contact confirms that they want to join a list. An email links to it. Opening the page confirms nothing:
 * link scanners open every link, and a different person may have entered the address.
 */
export function confirmationPages(router: Router<never>, dependencies: ApiDependencies): void {
  const forRecipient = forRecipients(dependencies, (secret, token) => openLink(secret, 'confirm', token))

  router.get(
    '/confirm/:token',
    forRecipient(async (ctx, { contactId, originId: requestId }) => {
      const standing = await readConfirmationState(dependencies.em.fork(), contactId, requestId)
      ctx.status = 200
      ctx.body = confirmPage(languageFor(ctx, standing?.metadata), standing?.listName ?? null, standing)
    }),
  )

  router.post(
    '/confirm/:token',
    forRecipient(async (ctx, { contactId, originId: requestId }) => {
      const isSubmitted = (await readForm(ctx)).get('choice') === 'confirm'
      const standing = await readConfirmationState(dependencies.em.fork(), contactId, requestId)
      const language = languageFor(ctx, standing?.metadata)
      const isConfirmed = isSubmitted && (await confirmRequest(dependencies, contactId, requestId))
      ctx.status = 200
      ctx.body = isConfirmed
        ? confirmedPage(language, standing)
        : confirmPage(language, isSubmitted ? null : (standing?.listName ?? null), standing)
    }),
  )
}
