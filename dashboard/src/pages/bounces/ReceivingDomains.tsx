import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count, percentOf } from '../../lib/format.ts'
import { Section } from '../../layout/Page.tsx'

const DAYS = 30
const MAX_DOMAINS = 8

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
      <table className="table stacked">
        <thead>
          <tr>
            <th>Domain</th>
            <th className="num">Sent</th>
            <th className="num">Delivered</th>
            <th className="num">Opened</th>
            <th className="num">Bounced (hard)</th>
            <th className="num">Spam complaints</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.domain}>
              <td className="strong" data-cell="title">
                {row.domain}
              </td>
              <td className="num" data-cell="number">
                {count(row.sent)}
              </td>
              <Rate value={row.delivered} total={row.sent} />
              <Rate value={row.opened} total={row.sent} />
              <Rate value={row.bounced} total={row.delivered + row.bounced} />
              <Rate value={row.complained} total={row.sent} />
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

const Rate = ({ value, total }: { value: number; total: number }) => (
  <td className="num" data-cell="number">
    {count(value)} <span className="t3">{percentOf(value, total)}</span>
  </td>
)
