import type { Schemas } from '../../../api/client.ts'
import { EmailFrame, usePreview } from '../../../components/EmailPreview.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count, percentOf, plural } from '../../../lib/format.ts'
import { markLinks } from '../../../lib/marked-links.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { PartBar } from '../../../primitives/RateBar.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { contentOf, previewTemplate } from '../campaign-content.ts'
import classes from './report.module.css'

type VariantLink = Schemas['CampaignReport']['links'][number]
type LinkRow = Pick<VariantLink, 'url' | 'clicks'>

const MAX_LINKS = 10

/** The links that most recipients clicked: marked in the email, and as a table. */
export function ClicksByLink({
  campaign,
  links,
  clicked,
}: {
  campaign: Campaign
  links: readonly VariantLink[]
  clicked: number
}) {
  const rows = ofAllVariants(links)
  const shares = new Map(rows.map(({ url, clicks }) => [url, percentOf(clicks, clicked)]))
  const email = useMarkedEmail(campaign, shares)
  return (
    <Section title="Clicks by link" meta={`${plural(clicked, 'contact')} clicked`}>
      <div className={email && email.labels.size > 0 ? classes.heat : ''}>
        {email && email.labels.size > 0 && (
          <div className={classes.email}>
            <EmailFrame html={email.html} look="narrow" title="Email with the share of clickers at each link" />
          </div>
        )}
        <div>
          <DataTable<LinkRow>
            label="Clicks by link"
            rows={rows.slice(0, MAX_LINKS)}
            idOf={({ url }) => url}
            columns={columnsOf(clicked, email?.labels)}
            empty={null}
          />
          <p className="small t3" style={{ marginTop: 8 }}>
            A contact can click several links. Unsubscribe links are not counted.
          </p>
        </div>
      </div>
    </Section>
  )
}

/** Adds up the clicks on each link, the most clicked first. */
function ofAllVariants(links: readonly VariantLink[]): LinkRow[] {
  const clicks = new Map<string, number>()
  for (const link of links) clicks.set(link.url, (clicks.get(link.url) ?? 0) + link.clicks)
  return [...clicks].map(([url, many]) => ({ url, clicks: many })).toSorted((a, b) => b.clicks - a.clicks)
}

/** Renders the email with marked links. Without HTML, there is none. */
function useMarkedEmail(campaign: Campaign, shares: ReadonlyMap<string, string>) {
  const { templateId, templateVersion, category } = campaign
  const content = contentOf(campaign)
  const { data } = usePreview(
    content ?? [templateId, templateVersion],
    { contactId: null, category },
    async (api, forWhom, signal) =>
      content
        ? (await api.POST('/templates/preview', { body: { ...content, ...forWhom }, signal })).data.data
        : previewTemplate(campaign, api, forWhom, signal),
  )
  return data?.html == null ? undefined : markLinks(data.html, shares)
}

const columnsOf = (clicked: number, labels: ReadonlyMap<string, string> | undefined): readonly Column<LinkRow>[] => [
  {
    id: 'link',
    head: 'Link',
    phone: 'title',
    wraps: true,
    cell: ({ url }) => (
      <>
        {labels?.has(url) && <div className="strong">{labels.get(url)}</div>}
        <a className="link" href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
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
