import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { safeHtml } from '../../lib/safe-html.ts'
import classes from './contact.module.css'

type Message = Schemas['Message']

/** What may have come before it since the page was read. */
const MAX_NEWER_MESSAGES = 3

/** An email as it was sent. Nothing in it runs, and nothing is fetched. @param nth which of the contact's it is: the newest is 0 */
export function SentEmail({ contactId, message, nth }: { contactId: string; message: Message; nth: number }) {
  const { data, error } = useWorkspaceQuery(
    ['messages', message.id, 'content'],
    async (api, signal) => {
      for (let page = nth + 1; page <= nth + 1 + MAX_NEWER_MESSAGES; page += 1) {
        const params = { path: { id: contactId }, query: { limit: 1, page } }
        const [found] = (await api.GET('/contacts/{id}/activity', { params, signal })).data.data
        if (found?.id === message.id) return found
      }
      return null
    },
    // Of many long ones the page has the first.
    { enabled: message.contentOmitted, once: true },
  )
  if (!message.contentOmitted) return <Content of={message} />
  if (error) return <ErrorBanner error={error} />
  if (data === undefined) return <SkeletonRows rows={4} />
  return data ? <Content of={data} /> : <p className="t2">It is not there any more. Load the page again.</p>
}

/** What was sent alike to many is kept once. */
const missingContentText = ({ status, campaignId }: Message): string => {
  if (status === 'SENDING') return 'It is being made.'
  return campaignId === null ? 'What it said is not kept.' : 'What it said is with its campaign, once for all.'
}

const Content = ({ of: message }: { of: Message }) =>
  message.html !== null ? (
    <iframe className={classes.frame} title="The email" sandbox="" srcDoc={safeHtml(message.html)} />
  ) : (
    <pre className={classes.plain}>{message.text ?? missingContentText(message)}</pre>
  )
