import { TextInput, UnstyledButton } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { SyntheticEvent } from 'react'
import { IconMail } from '@tabler/icons-react'
import { hasErrorCode } from '../../api/client.ts'
import { useAutomations } from '../automations/use-automations.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useCampaignOptions, useStats } from '../../api/queries.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { count } from '../../lib/format.ts'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { MESSAGE_STATUS, type MessageStatus } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { type Message, messageColumns } from './columns.tsx'
import { MessageBulkActions } from './MessageBulkActions.tsx'
import classes from './messages.module.css'

const STATUSES: readonly MessageStatus[] = [
  'UNCONFIRMED',
  'FAILED',
  'DEFERRED',
  'QUEUED',
  'SENDING',
  'SENT',
  'CAPTURED',
  'SUPPRESSED',
  'DISMISSED',
]

/** The delivery log: every email to every contact, with its status. */
export function MessagesPage() {
  const { workspace } = useWorkspace()
  const { status, automationId, campaignId, to } = useSearch({ from: '/w/$workspaceId/messages' })
  const navigate = useNavigate({ from: '/w/$workspaceId/messages' })
  const canEdit = useHasRole('editor')
  const { data: stats } = useStats()
  const campaigns = useCampaignOptions()
  const campaignName = (id: string) => campaigns?.find(({ value }) => value === id)?.label
  const { rows } = useAutomations()
  const automations = rows?.map(({ automation: { id, name } }) => ({ value: id, label: name }))
  const {
    rows: messages,
    error,
    refetch,
    nextPage,
  } = useCursorList(
    ['messages', 'list', status, automationId, campaignId, to],
    async (api, page, signal) => {
      const query = {
        ...page,
        ...(status && { status }),
        ...(automationId && { automationId }),
        ...(campaignId && { campaignId }),
        ...(to && { contactId: `email:${to}` }),
      }
      try {
        return (await api.GET('/messages', { params: { query }, signal })).data
      } catch (failure) {
        // The address has no contact and got no transactional email.
        if (to && hasErrorCode(failure, 'contact_not_found')) return { data: [], pagination: { nextCursor: null } }
        throw failure
      }
    },
    { refetchMs: 10_000 },
  )
  const nameOf = (id: string) =>
    automations === undefined ? '…' : (automations.find(({ value }) => value === id)?.label ?? 'Deleted automation')
  const choose = (next: {
    status?: MessageStatus | undefined
    automationId?: string | undefined
    campaignId?: string | undefined
    to?: string | undefined
  }) => {
    const search = { status, automationId, campaignId, to, ...next }
    void navigate({
      search: {
        ...(search.status && { status: search.status }),
        ...(search.automationId && { automationId: search.automationId }),
        ...(search.campaignId && { campaignId: search.campaignId }),
        ...(search.to && { to: search.to }),
      },
      replace: true,
    })
  }
  const numbers: Partial<Record<MessageStatus, number | undefined>> = {
    UNCONFIRMED: stats?.unconfirmed,
    DEFERRED: stats?.deferred,
    SENDING: stats?.sending,
  }
  const canDecide = canEdit && (status === 'UNCONFIRMED' || status === 'FAILED')
  return (
    <Page title="Messages">
      <div className="tabs" role="group" aria-label="Status">
        <UnstyledButton
          className="tab"
          aria-pressed={status === undefined}
          onClick={() => choose({ status: undefined })}
        >
          All
        </UnstyledButton>
        {STATUSES.map((value) => (
          <UnstyledButton
            key={value}
            className="tab"
            aria-pressed={status === value}
            onClick={() => choose({ status: value })}
          >
            {MESSAGE_STATUS[value].label}{' '}
            {numbers[value] !== undefined && <span className="t3">{count(numbers[value])}</span>}
          </UnstyledButton>
        ))}
      </div>
      <div className={classes.filters}>
        <AddressFilter key={to} to={to} onChange={(next) => choose({ to: next })} />
        <SearchableSelect
          aria-label="Campaign"
          placeholder="Any campaign"
          clearable
          data={campaigns ?? []}
          value={campaignId ?? null}
          onChange={(value) => choose({ campaignId: value ?? undefined })}
        />
        <SearchableSelect
          aria-label="Automation"
          placeholder="Any automation"
          clearable
          data={automations ?? []}
          value={automationId ?? null}
          onChange={(value) => choose({ automationId: value ?? undefined })}
        />
      </div>
      {status === 'UNCONFIRMED' && (
        <p className="t2" style={{ marginBottom: 12 }}>
          We don’t know whether these messages arrived, so Dripline doesn’t resend them automatically. Resending may
          deliver a message twice.
        </p>
      )}
      <DataTable<Message>
        // Another status has other actions.
        key={status}
        label="Messages"
        rows={messages}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={messageColumns({ workspaceId: workspace.id, nameOf, campaignName })}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/messages/$messageId" params={{ workspaceId: workspace.id, messageId: id }}>
            {title}
          </Link>
        )}
        {...(canDecide && {
          bulk: {
            nameOf: ({ subject, to: address }: Message) => `${subject ?? 'Email'} to ${address ?? 'contact'}`,
            actions: (chosen: readonly Message[], clear: () => void) => (
              <MessageBulkActions
                ids={chosen.map(({ id }) => id)}
                isUnconfirmed={status === 'UNCONFIRMED'}
                onDone={clear}
              />
            ),
          },
        })}
        empty={
          [status, automationId, campaignId, to].every((filter) => filter === undefined) ? (
            <EmptyPage icon={IconMail} title="No messages yet">
              Every email to every contact appears here, with its status and the reply of the mail server.
            </EmptyPage>
          ) : (
            <p className="t2">No messages match these filters.</p>
          )
        }
      />
      <LoadMoreButton of={nextPage} />
    </Page>
  )
}

/** Filters by the exact address, after Enter or when the field loses the focus. */
function AddressFilter({ to = '', onChange }: { to?: string | undefined; onChange: (to: string | undefined) => void }) {
  const apply = ({ currentTarget: { value } }: SyntheticEvent<HTMLInputElement>) => {
    const typed = value.trim()
    if (typed !== to) onChange(typed || undefined)
  }
  return (
    <TextInput
      type="search"
      aria-label="Address"
      placeholder="Any address"
      defaultValue={to}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply(event)}
    />
  )
}
