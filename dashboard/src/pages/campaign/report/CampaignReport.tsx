import { useSender } from '../../../api/queries.ts'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../../api/workspace.tsx'
import { MessageBreakdown } from '../../../components/MessageBreakdown.tsx'
import { ReputationWarnings } from '../../../components/ReputationWarnings.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../../components/StatusBadge.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count, percentOf, plural } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { Metrics } from '../../../primitives/Metrics.tsx'
import { PartBar } from '../../../primitives/RateBar.tsx'
import { type Campaign, finishedCountOf, isInProgress } from '../../campaigns/campaigns.ts'
import { AbTestResult } from './AbTestResult.tsx'
import { SendingProgress } from './SendingProgress.tsx'

type Report = Schemas['CampaignReport']

const MAX_LINKS = 10

/** The results of a campaign: all recipients by status, rates, links, the A/B test, and why some were not sent. */
export function CampaignReport({ campaign }: { campaign: Campaign }) {
  const { workspace } = useWorkspace()
  const { id, status } = campaign
  const { data: report } = useWorkspaceQuery(
    ['campaigns', id, 'report', status],
    async (api, signal) => (await api.GET('/campaigns/{id}/report', { params: { path: { id } }, signal })).data.data,
    isInProgress(status) ? { refetchMs: 2_000 } : {},
  )
  // One snapshot: the figures of the list come a moment earlier or later.
  const stats = report?.stats ?? campaign.stats
  const isUnderWay = (status === 'SENDING' || status === 'PAUSED') && finishedCountOf(stats) < stats.recipients
  return (
    <>
      <Section title={isUnderWay ? headlineOfSending(stats) : headline(stats, report)}>
        <MessageBreakdown
          counts={stats}
          isTest={workspace.mode === 'test'}
          total={{ label: 'Recipients', value: stats.recipients }}
        />
        {stats.erased > 0 && (
          <p className="small t3">
            {plural(stats.erased, 'recipient')} {stats.erased === 1 ? 'has' : 'have'} since been erased.
          </p>
        )}
      </Section>
      {isUnderWay && <SendingProgress campaign={campaign} stats={stats} />}
      {report && report.results.sent > 0 && <Rates results={report.results} />}
      {report && <ReputationWarnings findings={report.reputation} />}
      {report && report.links.length > 0 && <Links links={report.links} clicked={report.results.clicked} />}
      {campaign.abTest && <AbTestResult test={campaign.abTest} variants={report?.variants ?? []} />}
      {report && report.reasons.length > 0 && <Reasons reasons={report.reasons} campaignId={id} />}
      <p style={{ margin: '12px 0 24px' }}>
        <Link
          className="link"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ campaignId: id }}
        >
          View messages
        </Link>
      </p>
    </>
  )
}

const headlineOfSending = (stats: Campaign['stats']): string =>
  `${count(finishedCountOf(stats))} of ${plural(stats.recipients, 'recipient')} ${finishedCountOf(stats) === 1 ? 'is' : 'are'} done`

const headline = ({ recipients }: Campaign['stats'], report: Report | undefined): string =>
  report
    ? `Delivered to ${count(report.results.delivered)} of ${plural(recipients, 'recipient')}`
    : plural(recipients, 'recipient')

/** A rate, unless its facts are not tracked. Those from before the tracking was turned off stay. */
const trackedRate = (label: string, value: number, total: number, word: string, isTracked: boolean | undefined) =>
  value === 0 && isTracked === false
    ? { label, value: '–', base: 'Not tracked' }
    : { label, value: percentOf(value, total) || '–', base: `${count(value)} ${word}` }

/** The rates of what was delivered. Opens by machines do not count. */
function Rates({ results }: { results: Report['results'] }) {
  const { data: sender } = useSender()
  const { delivered, opened, machineOpened, clicked, unsubscribed, complained, bounced, softBounced, blocked } = results
  return (
    <div style={{ margin: '16px 0 24px' }}>
      <Metrics
        label="Rates"
        metrics={[
          trackedRate('Open rate', opened, delivered, 'opened', sender?.trackOpens),
          trackedRate('Click rate', clicked, delivered, 'clicked', sender?.trackClicks),
          { label: 'Click-to-open', value: percentOf(clicked, opened) || '–', base: `of ${count(opened)} opened` },
          {
            label: 'Unsubscribed',
            value: percentOf(unsubscribed, delivered) || '–',
            base: plural(unsubscribed, 'contact'),
          },
          { label: 'Complaints', value: percentOf(complained, delivered) || '–', base: plural(complained, 'report') },
          {
            label: 'Bounced',
            value: percentOf(bounced, delivered + bounced) || '–',
            base: `${count(bounced)} hard, ${count(softBounced)} soft, ${count(blocked)} blocked`,
            title: 'Hard bounces of the emails that were delivered or bounced.',
          },
        ]}
      />
      {machineOpened > 0 && (
        <p className="small t2" style={{ marginTop: 8 }}>
          {plural(machineOpened, 'machine open')} ({percentOf(machineOpened, delivered)}) are not in the open rate: a
          mail client or scanner loaded the images before anyone read the email.
        </p>
      )}
    </div>
  )
}

type LinkRow = Report['links'][number]

function Links({ links, clicked }: { links: Report['links']; clicked: number }) {
  const columns: readonly Column<LinkRow>[] = [
    {
      id: 'link',
      head: 'Link',
      phone: 'title',
      wraps: true,
      cell: ({ url, variant }) => (
        <>
          <a className="link" href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
          {variant !== null && <span className="t3"> Variant {String.fromCharCode(65 + variant)}</span>}
        </>
      ),
    },
    { id: 'share', head: 'Share', hidesHead: true, cell: ({ clicks }) => <PartBar value={clicks} total={clicked} /> },
    {
      id: 'contacts',
      head: 'Contacts',
      isNumber: true,
      phone: 'state',
      cell: ({ clicks }) => <span className="strong">{count(clicks)}</span>,
    },
    {
      id: 'of',
      head: 'Of clickers',
      isNumber: true,
      cell: ({ clicks }) => <span className="t2">{percentOf(clicks, clicked)}</span>,
    },
  ]
  return (
    <Section title="Clicks by link" meta={`${plural(clicked, 'contact')} clicked`}>
      <DataTable<LinkRow>
        label="Clicks by link"
        rows={links.slice(0, MAX_LINKS)}
        idOf={({ variant, url }) => `${variant} ${url}`}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}

type Reason = Report['reasons'][number]

function Reasons({ reasons, campaignId }: { reasons: Report['reasons']; campaignId: string }) {
  const { workspace } = useWorkspace()
  const columns: readonly Column<Reason>[] = [
    {
      id: 'status',
      head: 'Status',
      phone: 'title',
      cell: ({ status }) => <StatusBadge status={MESSAGE_STATUS[status]} plain />,
    },
    {
      id: 'reason',
      head: 'Reason',
      phone: 'about',
      wraps: true,
      cell: ({ reason }) => <span className="t2">{reason}</span>,
    },
    {
      id: 'contacts',
      head: 'Contacts',
      isNumber: true,
      phone: 'state',
      cell: ({ status, count: many }) => (
        <Link
          className="strong"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ status, campaignId }}
        >
          {count(many)}
        </Link>
      ),
    },
  ]
  return (
    <Section title="Not sent">
      <DataTable<Reason>
        label="Not sent"
        rows={reasons}
        idOf={({ status, reason }) => `${status} ${reason}`}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}
