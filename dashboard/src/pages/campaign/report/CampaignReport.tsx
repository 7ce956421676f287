import type { Schemas } from '../../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../../api/workspace.tsx'
import { MessageBreakdown } from '../../../components/MessageBreakdown.tsx'
import { ReputationWarnings } from '../../../components/ReputationWarnings.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count, plural } from '../../../lib/format.ts'
import { type Campaign, finishedCountOf, isInProgress } from '../../campaigns/campaigns.ts'
import { AbTestResult } from './AbTestResult.tsx'
import { ClicksByLink } from './ClicksByLink.tsx'
import { DomainsTable } from './DomainsTable.tsx'
import { Engagement } from './Engagement.tsx'
import { MessagesPerMinute } from './MessagesPerMinute.tsx'
import { Rates } from './Rates.tsx'
import { Reasons } from './Reasons.tsx'
import { Recipients } from './Recipients.tsx'
import { SendingProgress } from './SendingProgress.tsx'
import classes from './report.module.css'

type Report = Schemas['CampaignReport']

/** The results of a campaign that has started: recipients by status, rates, opens over time, links, the A/B test and domains. */
export function CampaignReport({ campaign, startedAt }: { campaign: Campaign; startedAt: string }) {
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
    <div className={classes.report}>
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
      {isUnderWay && (
        <>
          <SendingProgress campaign={campaign} stats={stats} startedAt={startedAt} />
          <MessagesPerMinute campaign={campaign} startedAt={startedAt} />
        </>
      )}
      {report && report.results.sent > 0 && <Rates results={report.results} />}
      {report && <ReputationWarnings findings={report.reputation} />}
      <Engagement campaign={campaign} startedAt={startedAt} />
      {report && report.links.length > 0 && (
        <ClicksByLink campaign={campaign} links={report.links} clicked={report.results.clicked} />
      )}
      {campaign.abTest && <AbTestResult test={campaign.abTest} variants={report?.variants ?? []} />}
      <DomainsTable campaign={campaign} isUnderWay={isUnderWay} />
      {report && report.reasons.length > 0 && <Reasons reasons={report.reasons} campaignId={id} />}
      {report && <Recipients campaign={campaign} results={report.results} total={stats.recipients - stats.erased} />}
    </div>
  )
}

const headlineOfSending = (stats: Campaign['stats']): string =>
  `${count(finishedCountOf(stats))} of ${plural(stats.recipients, 'recipient')} ${finishedCountOf(stats) === 1 ? 'is' : 'are'} done`

const headline = ({ recipients }: Campaign['stats'], report: Report | undefined): string =>
  report
    ? `Delivered to ${count(report.results.delivered)} of ${plural(recipients, 'recipient')}`
    : plural(recipients, 'recipient')
