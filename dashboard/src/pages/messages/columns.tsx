import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { ServerReply } from '../../components/ServerReply.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { ToContact } from '../../components/ToContact.tsx'
import type { Column } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import classes from './messages.module.css'

export type Message = Schemas['MessageSummary']

/** The columns of the delivery log. */
export const messageColumns = ({
  workspaceId,
  nameOf,
  campaignName,
}: {
  workspaceId: string
  /** The name of an automation. */
  nameOf: (id: string) => string
  campaignName: (id: string) => string | undefined
}): readonly Column<Message>[] => [
  {
    id: 'email',
    head: 'Email',
    phone: 'title',
    cell: ({ subject }) => <span className="strong">{subject ?? <span className="t3">No subject</span>}</span>,
  },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: (message) => <StatusBadge status={MESSAGE_STATUS[message.status]} />,
  },
  {
    id: 'source',
    head: 'Source',
    cell: (message) => (
      <span className="t2">
        {message.campaignId !== null ? (
          <Link
            className="link"
            to="/w/$workspaceId/campaigns/$campaignId"
            params={{ workspaceId, campaignId: message.campaignId }}
          >
            {campaignName(message.campaignId) ?? 'Campaign'}
          </Link>
        ) : message.automationId === null ? (
          'Transactional email'
        ) : (
          nameOf(message.automationId)
        )}
      </span>
    ),
  },
  {
    id: 'to',
    head: 'To',
    phone: 'about',
    cell: (message) => (
      <ToContact className="link" contactId={message.contactId}>
        <bdi>{message.to ?? 'Contact'}</bdi>
      </ToContact>
    ),
  },
  {
    id: 'reply',
    head: 'Server response',
    cell: (message) => {
      const reply = message.error ?? message.response
      return (
        reply !== null && (
          <span className={`t2 ${classes.response}`}>
            <ServerReply reply={reply} />
          </span>
        )
      )
    },
  },
  timeColumn({ head: 'Due', at: ({ createdAt }) => createdAt }, { isNumber: true, phone: 'number' }),
]
