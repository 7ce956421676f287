import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { safeHtml } from '../../lib/safe-html.ts'
import classes from './contact.module.css'

type Message = Pick<Schemas['Message'], 'id' | 'html' | 'text' | 'status' | 'campaignId'>

/** Shows an email as it was sent, in a sandbox without scripts and requests. The activity omits the content of long messages. */
export function SentEmail({ message }: { message: Message & { contentOmitted?: boolean } }) {
  const { id, contentOmitted = false } = message
  const { data, error } = useMessage(id, { enabled: contentOmitted, once: true })
  if (!contentOmitted) return <Content of={message} />
  if (error) return <ErrorBanner error={error} />
  return data ? <Content of={data} /> : <SkeletonRows rows={4} />
}

/** Loads a message with its content. */
export const useMessage = (id: string, options: { enabled?: boolean; once?: boolean; refetchMs?: number } = {}) =>
  useWorkspaceQuery(
    ['messages', id],
    async (api, signal) => (await api.GET('/messages/{id}', { params: { path: { id } }, signal })).data.data,
    options,
  )

const missingContentText = ({ status, campaignId }: Message): string => {
  if (status === 'SENDING') return 'Preparing…'
  return campaignId === null
    ? 'The content isn’t stored. The page Workspace says for how long it’s kept.'
    : 'The content is stored with the campaign.'
}

const Content = ({ of: message }: { of: Message }) =>
  message.html !== null ? (
    <iframe className={classes.frame} title="Email" sandbox="" srcDoc={safeHtml(message.html)} />
  ) : (
    <pre className={classes.plain}>{message.text ?? missingContentText(message)}</pre>
  )
