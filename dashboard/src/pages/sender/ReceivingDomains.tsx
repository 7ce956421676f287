import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count, percentOf } from '../../lib/format.ts'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'

const DAYS = 30
const MAX_DOMAINS = 8

type Row = Schemas['DomainsReport']['others'] & { domain: string; reputation: Schemas['DomainResults']['reputation'] }

/** A share, with its count. */
const rate = (value: number, total: number) => (
  <span>
    {count(value)} <span className="t3">{percentOf(value, total)}</span>
  </span>
)

/** The advice for each rate that the API judges as harmful. */
const ADVICE: Record<Schemas['ReputationFinding']['rule'], string> = {
  COMPLAINTS: 'Email only contacts who opted in, and less often',
  HARD_BOUNCES: 'Remove old addresses',
  BLOCKED: 'Send less to this domain, and more evenly',
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'domain', head: 'Domain', phone: 'title', cell: ({ domain }) => <span className="strong">{domain}</span> },
  { id: 'sent', head: 'Sent', isNumber: true, phone: 'figure', cell: ({ sent }) => count(sent) },
  {
    id: 'delivered',
    head: 'Delivered',
    isNumber: true,
    phone: 'figure',
    cell: ({ delivered, sent }) => rate(delivered, sent),
  },
  { id: 'opened', head: 'Opened', isNumber: true, phone: 'figure', cell: ({ opened, sent }) => rate(opened, sent) },
  {
    id: 'bounced',
    head: 'Bounced (hard)',
    isNumber: true,
    phone: 'figure',
    cell: ({ bounced, delivered }) => rate(bounced, delivered + bounced),
  },
  {
    id: 'complained',
    head: 'Spam complaints',
    isNumber: true,
    phone: 'figure',
    cell: ({ complained, sent }) => rate(complained, sent),
  },
  {
    id: 'advice',
    head: 'What to do',
    phone: 'about',
    wraps: true,
    cell: ({ reputation }) =>
      reputation.length === 0 ? (
        <span className="t3">Nothing</span>
      ) : (
        reputation.map(({ rule, text }) => (
          <p key={rule} className="c-warn">
            {ADVICE[rule]}: {text}.
          </p>
        ))
      ),
  },
]

/** The results of the emails of the last days, by the domain of the recipient. */
export function ReceivingDomains() {
  const { data: report } = useWorkspaceQuery(['reports', 'domains'], async (api, signal) => {
    const params = { query: { days: DAYS, limit: MAX_DOMAINS } }
    return (await api.GET('/reports/domains', { params, signal })).data.data
  })
  if (!report || report.domains.length === 0) return null
  const rows = [
    ...report.domains,
    ...(report.others.sent > 0 ? [{ domain: 'Others', ...report.others, reputation: [] }] : []),
  ]
  return (
    <Section title="Receiving domains" meta={`Last ${DAYS} days`}>
      <DataTable<Row>
        label="Receiving domains"
        rows={rows}
        idOf={({ domain }) => domain}
        columns={COLUMNS}
        empty={null}
      />
    </Section>
  )
}
