import { SegmentedControl } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { count, percentOf, plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { Metrics } from '../../primitives/Metrics.tsx'
import { LatestEmails } from './LatestEmails.tsx'
import { SendSnippets } from './SendSnippets.tsx'
import { secondsLabel } from './seconds-label.ts'

type Report = Schemas['TransactionalReport']
type Group = Report['groups'][number]

const PERIODS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
] as const

/** A bounce rate from which receivers begin to refuse email. */
const MAX_BOUNCED = 0.01

/** The emails that applications send with requests: how many, whether they arrive, and how fast. */
export function TransactionalPage() {
  const { hours = 24 } = useSearch({ from: '/w/$workspaceId/transactional' })
  const navigate = useNavigate({ from: '/w/$workspaceId/transactional' })
  const canEdit = useHasRole('editor')
  const { data, error, refetch } = useWorkspaceQuery(
    ['reports', 'transactional', hours],
    async (api, signal) =>
      (await api.GET('/reports/transactional', { params: { query: { hours } }, signal })).data.data,
    // A long period is a long query.
    { refetchMs: hours === 24 ? 10_000 : 300_000, keepPrevious: true },
  )
  const hasEmails = data !== undefined && data.total.emails > 0
  return (
    <Page
      title="Transactional"
      actions={
        <SegmentedControl
          aria-label="Period"
          data={[...PERIODS]}
          value={String(hours)}
          onChange={(value) => void navigate({ search: value === '24' ? {} : { hours: Number(value) }, replace: true })}
        />
      }
      aside={hasEmails ? <SendSnippets /> : undefined}
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data && !hasEmails && <Nothing period={PERIODS.find(({ value }) => value === String(hours))!.label} />}
      {data && hasEmails && (
        <>
          <Figures report={data} />
          {canEdit && (
            <div style={{ marginTop: 24 }}>
              <LatestEmails />
            </div>
          )}
        </>
      )}
    </Page>
  )
}

const Nothing = ({ period }: { period: string }) => (
  <>
    <EmptyPage icon={IconReceipt} title={`No transactional emails in ${period}`}>
      Receipts, sign-in codes and invitations are sent with a request of your app, at once and also to those who
      unsubscribed.
    </EmptyPage>
    <SendSnippets />
  </>
)

function Figures({ report: { total, groups } }: { report: Report }) {
  const { workspace } = useWorkspace()
  const { emails, delivered, bounced, failed, waiting, medianSeconds, p95Seconds } = total
  return (
    <>
      <Metrics
        label="Transactional emails"
        metrics={[
          {
            label: 'Emails',
            value: count(emails),
            base: waiting > 0 ? `${count(waiting)} waiting` : 'All are handled',
          },
          {
            label: 'Delivered',
            value: percentOf(delivered, emails) || '–',
            base: `${count(delivered)} of ${count(emails)}`,
          },
          {
            label: 'Bounced',
            value: percentOf(bounced, delivered + bounced) || '–',
            base: `${plural(bounced, 'email')}, ${count(failed)} failed`,
          },
          {
            label: 'Send time (p95)',
            value: p95Seconds === null ? '–' : secondsLabel(p95Seconds),
            base: medianSeconds === null ? 'Needs 20 emails' : `Median ${secondsLabel(medianSeconds)}`,
            title: 'From when an email was due until the mail server accepted it. 95% were faster. Needs 20 emails.',
          },
        ]}
      />
      <div style={{ marginTop: 24 }}>
        <Section title="Templates and tags" meta={count(groups.length)}>
          <DataTable<Group>
            label="Templates and tags"
            rows={groups}
            idOf={({ templateId, tag }) => templateId ?? `tag ${tag}`}
            columns={columnsOf(total)}
            link={({ templateId, templateName }, title) =>
              templateId === null || templateName === null ? (
                <span>{title}</span>
              ) : (
                <Link to="/w/$workspaceId/templates/$templateId" params={{ workspaceId: workspace.id, templateId }}>
                  {title}
                </Link>
              )
            }
            empty={null}
            hidesFoot
          />
        </Section>
      </div>
    </>
  )
}

const columnsOf = (total: Report['total']): readonly Column<Group>[] => [
  {
    id: 'template',
    head: 'Template',
    phone: 'title',
    total: 'All',
    cell: ({ templateId, templateName, tag }) => (
      <span className="strong">
        {templateName ?? (templateId === null ? (tag ?? 'No template') : 'Deleted template')}
        {templateId === null && tag !== null && <span className="t3"> tag</span>}
      </span>
    ),
  },
  {
    id: 'emails',
    head: 'Emails',
    isNumber: true,
    phone: 'number',
    cell: ({ emails }) => count(emails),
    total: count(total.emails),
  },
  {
    id: 'delivered',
    head: 'Delivered',
    isNumber: true,
    phone: 'figure',
    cell: ({ delivered, emails }) => percentOf(delivered, emails),
    total: percentOf(total.delivered, total.emails),
  },
  {
    id: 'bounced',
    head: 'Bounced',
    isNumber: true,
    phone: 'figure',
    cell: ({ bounced, delivered }) => (
      <span
        className={bounced > MAX_BOUNCED * (delivered + bounced) ? 'strong c-warn' : ''}
        style={{ color: 'var(--c)' }}
      >
        {count(bounced)}
      </span>
    ),
    total: count(total.bounced),
  },
  {
    id: 'p95',
    head: 'Send time (p95)',
    isNumber: true,
    phone: 'figure',
    cell: ({ p95Seconds }) => (p95Seconds === null ? <span className="t3">–</span> : secondsLabel(p95Seconds)),
    total: total.p95Seconds === null ? '–' : secondsLabel(total.p95Seconds),
  },
  {
    id: 'last',
    head: 'Last sent',
    isNumber: true,
    cell: ({ lastSentAt }) => (
      <span className="t2">
        <Time at={lastSentAt} />
      </span>
    ),
  },
]
