import type { Schemas } from '../../../api/client.ts'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count, percentOf, plural } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { type Campaign, refetchOf } from '../../campaigns/campaigns.ts'

type Results = Schemas['RecipientResults']

interface Row {
  domain: string
  isOthers: boolean
  results: Results
}

const MAX_DOMAINS = 8

/** The recipients of a campaign by receiving domain: their results or, while it is sent, its progress. */
export function DomainsTable({ campaign, isUnderWay }: { campaign: Campaign; isUnderWay: boolean }) {
  const { id, status } = campaign
  const {
    data: found,
    error,
    refetch,
  } = useWorkspaceQuery(
    ['campaigns', id, 'domains', status],
    async (api, signal) => {
      const params = { path: { id }, query: { limit: MAX_DOMAINS } }
      return (await api.GET('/campaigns/{id}/domains', { params, signal })).data.data
    },
    refetchOf(campaign),
  )
  const rows = found && [
    ...found.domains.map(({ domain, ...results }) => ({ domain, isOthers: false, results })),
    ...(found.otherDomains > 0
      ? [{ domain: plural(found.otherDomains, 'other domain'), isOthers: true, results: found.others }]
      : []),
  ]
  return (
    <Section title="Delivery by domain" meta={found && plural(found.total.recipients, 'recipient')}>
      <DataTable<Row>
        label="Delivery by domain"
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ domain }) => domain}
        columns={columnsOf(isUnderWay, found?.total)}
        empty={<p className="t2">No recipients.</p>}
      />
    </Section>
  )
}

function columnsOf(isUnderWay: boolean, total: Results | undefined): readonly Column<Row>[] {
  const number = (id: string, head: string, cell: (results: Results) => React.ReactNode): Column<Row> => ({
    id,
    head,
    isNumber: true,
    phone: 'figure',
    cell: ({ results }) => cell(results),
    ...(total && { total: cell(total) }),
  })
  const domain: Column<Row> = {
    id: 'domain',
    head: 'Domain',
    phone: 'title',
    cell: ({ domain: name, isOthers }) => <span className={isOthers ? 't2' : 'strong'}>{name}</span>,
    total: 'All domains',
  }
  const recipients = number('recipients', 'Recipients', (of) => count(of.recipients))
  const delivered = number('delivered', 'Delivered', (of) => <span className="strong">{count(of.delivered)}</span>)
  const bounced = number('bounced', 'Bounced', bouncedOf)
  const failed = number('failed', 'Failed', (of) => orZero(of.failed))
  return isUnderWay
    ? [
        domain,
        recipients,
        delivered,
        number('deferred', 'Deferred', (of) => orZero(of.deferred)),
        bounced,
        failed,
        number('waiting', 'Waiting', (of) => orZero(of.queued + of.sending)),
      ]
    : [
        domain,
        recipients,
        delivered,
        bounced,
        failed,
        number('opened', 'Open rate', (of) => percentOf(of.opened, of.delivered) || '–'),
        number('clicked', 'Click rate', (of) => percentOf(of.clicked, of.delivered) || '–'),
      ]
}

const orZero = (value: number) => <span className={value === 0 ? 't3' : ''}>{count(value)}</span>

/** Bounces with their share. */
const bouncedOf = ({ bounced, delivered }: Results) =>
  bounced === 0 ? orZero(0) : `${count(bounced)} (${percentOf(bounced, delivered + bounced)})`
