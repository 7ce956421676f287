import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count, percentOf } from '../../lib/format.ts'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'

const DAYS = 30
const MAX_DOMAINS = 8

type Row = Schemas['DomainsReport']['others'] & { domain: string }

/** A share, with its count. */
const rate = (value: number, total: number) => (
  <span>
    {count(value)} <span className="t3">{percentOf(value, total)}</span>
  </span>
)

/** Shares from which mailbox providers begin to refuse email: see https://support.google.com/a/answer/81126. */
const MAX_COMPLAINED = 0.001
const MAX_BOUNCED = 0.02
/** The sent emails from which a share means something. */
const MIN_SENT = 100

/** Returns what to do about the results at a domain. */
function adviceOf({ sent, delivered, bounced, complained }: Row): string {
  if (sent < MIN_SENT) return 'Too few emails to judge'
  if (complained / sent >= MAX_COMPLAINED) return 'Mail only who asked for it, and less often: complaints reach 0.1%'
  if (bounced / (delivered + bounced) >= MAX_BOUNCED) return 'Remove old addresses: bounces reach 2%'
  if (delivered / sent < 0.9) return 'Look at the replies of its server under Messages'
  return 'Nothing'
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
    cell: (row) => <span className="t2">{adviceOf(row)}</span>,
  },
]

/** The results of the emails of the last days, by the domain of the recipient. */
export function ReceivingDomains() {
  const { data: report } = useWorkspaceQuery(['reports', 'domains'], async (api, signal) => {
    const params = { query: { days: DAYS, limit: MAX_DOMAINS } }
    return (await api.GET('/reports/domains', { params, signal })).data.data
  })
  if (!report || report.domains.length === 0) return null
  const rows = [...report.domains, ...(report.others.sent > 0 ? [{ domain: 'Others', ...report.others }] : [])]
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
