import { TextInput } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { SyntheticEvent } from 'react'
import { useCursorList } from '../../api/cursor-list.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { count } from '../../lib/format.ts'
import { omit } from '../../lib/omit.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import classes from './logs.module.css'
import { RequestAside } from './RequestAside.tsx'
import { type LoggedRequest, statusOf, titleOf, useApiKeyNames } from './requests.ts'
import { STATUS_CLASSES, type StatusClass } from './status-classes.ts'

const REFETCH_MS = 5_000

const VIEWS: readonly { id: StatusClass | 'all'; label: string }[] = [
  { id: 'all', label: 'All' },
  { id: '2xx', label: 'Successful' },
  { id: '4xx', label: 'Client errors' },
  { id: '5xx', label: 'Server errors' },
]

/** Lists the requests of API keys. */
export function LogsPage() {
  const isOwner = useHasRole('owner')
  const { workspace } = useWorkspace()
  const search = useSearch({ from: '/w/$workspaceId/logs' })
  const { key, status, requestId, shown } = search
  const navigate = useNavigate({ from: '/w/$workspaceId/logs' })
  const { options, nameOf } = useApiKeyNames(isOwner)
  const { rows, error, refetch, nextPage } = useCursorList(
    ['request-log', key, status, requestId],
    async (api, page, signal) => {
      const query = { ...page, ...(key && { keyId: key }), ...(status && { status }), ...(requestId && { requestId }) }
      return (await api.GET('/request-log', { params: { query }, signal })).data
    },
    // The list stands still while a request is open.
    { enabled: isOwner, ...(shown === undefined && { refetchMs: REFETCH_MS }) },
  )
  if (!isOwner)
    return (
      <Page title="Logs">
        <p className="t2">Only owners can view the requests of API keys.</p>
      </Page>
    )
  const open = rows?.find(({ id }) => id === shown)
  const filter = (next: Partial<typeof search>, removed: keyof typeof search) =>
    void navigate({ search: { ...omit(search, 'shown', removed), ...next }, replace: true })
  return (
    <Page
      title="Logs"
      aside={
        open && (
          <RequestAside
            key={open.id}
            request={open}
            keyName={nameOf(open.keyId)}
            onClose={() => void navigate({ search: omit(search, 'shown'), replace: true })}
          />
        )
      }
    >
      <ViewTabs
        label="Status"
        views={VIEWS}
        value={status ?? 'all'}
        onChange={(id) => {
          const chosen = STATUS_CLASSES.find((each) => each === id)
          filter(chosen ? { status: chosen } : {}, 'status')
        }}
      />
      <div className={classes.filters}>
        <SearchableSelect
          aria-label="API key"
          placeholder="Any API key"
          clearable
          data={options}
          value={key ?? null}
          onChange={(value) => filter(value === null ? {} : { key: value }, 'key')}
        />
        <RequestIdFilter
          key={requestId}
          requestId={requestId}
          onChange={(value) => filter(value === '' ? {} : { requestId: value }, 'requestId')}
        />
      </div>
      <DataTable<LoggedRequest>
        label="Requests"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        isCurrent={({ id }) => id === shown}
        columns={columnsWith(nameOf)}
        link={({ id }, title) => (
          <Link
            to="/w/$workspaceId/logs"
            params={{ workspaceId: workspace.id }}
            search={{ ...search, shown: id }}
            replace
          >
            {title}
          </Link>
        )}
        empty={
          [key, status, requestId].every((each) => each === undefined) ? (
            <EmptyPage icon={IconTerminal2} title="No requests yet">
              Requests of your API keys appear here within about a second and are kept for 7 days.
            </EmptyPage>
          ) : (
            <p className="t2">No requests match these filters. Requests are kept for 7 days.</p>
          )
        }
      />
      <LoadMoreButton of={nextPage} />
    </Page>
  )
}

const columnsWith = (nameOf: (keyId: string) => string): readonly Column<LoggedRequest>[] => [
  {
    id: 'request',
    head: 'Request',
    phone: 'title',
    cell: (request) => <span className="mono strong">{titleOf(request)}</span>,
  },
  { id: 'status', head: 'Status', phone: 'state', cell: (request) => <StatusBadge status={statusOf(request)} plain /> },
  {
    id: 'error',
    head: 'Error',
    phone: 'about',
    cell: ({ errorCode }) => <span className="mono t2">{errorCode}</span>,
  },
  { id: 'key', head: 'API key', cell: ({ keyId }) => <span className="t2">{nameOf(keyId)}</span> },
  {
    id: 'duration',
    head: 'Duration',
    isNumber: true,
    cell: ({ durationMs }) => <span className="t2">{count(durationMs)} ms</span>,
  },
  timeColumn({ head: 'Time', at: ({ createdAt }) => createdAt }, { isNumber: true, phone: 'number' }),
]

/** Filters by the exact ID, after Enter or when the field loses the focus. */
function RequestIdFilter({
  requestId = '',
  onChange,
}: {
  requestId?: string | undefined
  onChange: (requestId: string) => void
}) {
  const apply = ({ currentTarget: { value } }: SyntheticEvent<HTMLInputElement>) => {
    const typed = value.trim()
    if (typed !== requestId) onChange(typed)
  }
  return (
    <TextInput
      type="search"
      aria-label="Request ID"
      placeholder="Any request ID"
      defaultValue={requestId}
      maxLength={128}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply(event)}
    />
  )
}
