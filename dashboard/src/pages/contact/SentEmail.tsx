import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { safeHtml } from '../../lib/safe-html.ts'
import classes from './contact.module.css'

type Message = Schemas['Message']

/** Limit of newer messages that may have arrived since the page was loaded. */
const MAX_NEWER_MESSAGES = 3

/** Shows an email as it was sent, in a sandbox without scripts and requests. @param nth position in the activity, 0 for the newest */
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
    // The activity omits the content of long messages.
    { enabled: message.contentOmitted, once: true },
  )
  if (!message.contentOmitted) return <Content of={message} />
  if (error) return <ErrorBanner error={error} />
  if (data === undefined) return <SkeletonRows rows={4} />
  return data ? <Content of={data} /> : <p className="t2">No longer available. Reload the page.</p>
}

const missingContentText = ({ status, campaignId }: Message): string => {
  if (status === 'SENDING') return 'Preparing…'
  return campaignId === null ? 'The content wasn’t stored.' : 'The content is stored with the campaign.'
}

const Content = ({ of: message }: { of: Message }) =>
  message.html !== null ? (
    <iframe className={classes.frame} title="Email" sandbox="" srcDoc={safeHtml(message.html)} />
  ) : (
    <pre className={classes.plain}>{message.text ?? missingContentText(message)}</pre>
  )
