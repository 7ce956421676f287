import { Link } from '@tanstack/react-router'
import { useCursorList } from '../../api/cursor-list.ts'
import { useCampaignName } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { DataTable } from '../../primitives/DataTable.tsx'
import { type Message, messageColumns } from '../messages/columns.tsx'

/** Lists the messages to a contact, newest first. */
export function ContactMessages({
  contactId,
  nameOf,
}: {
  contactId: string
  nameOf: (automationId: string) => string
}) {
  const { workspace } = useWorkspace()
  const workspaceId = workspace.id
  const campaignName = useCampaignName()
  const { rows, error, refetch, nextPage } = useCursorList(
    ['contacts', contactId, 'messages'],
    async (api, page, signal) =>
      (await api.GET('/messages', { params: { query: { ...page, contactId } }, signal })).data,
    { refetchMs: 10_000 },
  )
  // The recipient is always the contact.
  const columns = messageColumns({ workspaceId, nameOf, campaignName }).filter(({ id }) => id !== 'to')
  return (
    <>
      <DataTable<Message>
        label="Messages"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={columns}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/messages/$messageId" params={{ workspaceId, messageId: id }}>
            {title}
          </Link>
        )}
        empty={<p className="t2">No messages yet.</p>}
      />
      <LoadMoreButton of={nextPage} />
    </>
  )
}
