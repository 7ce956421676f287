import { Button, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconHelpCircle, IconMinus, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { readCampaigns, readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SentenceWithTimes } from '../../components/SentenceWithTimes.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { contactName, firstNameOf } from '../../lib/first-name.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import classes from './why.module.css'

type Contact = Schemas['Contact']
type Explanation = Schemas['Explanation']
type Fact = Explanation['facts'][number]

/** An automation or a campaign, as it is in the URL. */
export type WhyOf = `automation:${string}` | `campaign:${string}`

const RECENT_MS = 30 * 24 * 60 * 60_000

/** Explains why a contact did not get what an automation or a campaign sends. The choice is in the URL, so that it can be sent. */
export function WhyPanel({
  contact,
  why,
  onChoose,
  onEnroll,
}: {
  contact: Contact
  why: WhyOf | undefined
  onChoose: (why: WhyOf | undefined) => void
  onEnroll: () => void
}) {
  const name = firstNameOf(contact) ?? 'this contact'
  const [hasOpened, { open }] = useDisclosure(why !== undefined)
  const choices = useChoices(contact, hasOpened)
  return (
    <section className={classes.panel} aria-label="Why">
      <div className={classes.head}>
        <IconHelpCircle aria-hidden />
        <span className={classes.question}>
          Why did <bdi>{name}</bdi> not get
        </span>
        <Select
          className={classes.choice}
          aria-label="What they did not get"
          placeholder="Automation or campaign"
          searchable
          clearable
          nothingFoundMessage="Nothing found"
          data={choices}
          value={why ?? null}
          onDropdownOpen={open}
          onChange={(value) => onChoose((value ?? undefined) as WhyOf | undefined)}
        />
      </div>
      {why && <Answer key={why} contact={contact} why={why} onEnroll={onEnroll} />}
    </section>
  )
}

/** Lists campaigns and automations. Recent campaigns that the contact did not get come first. */
function useChoices({ id }: Contact, enabled: boolean) {
  const { data: campaigns = [] } = useWorkspaceQuery(['campaigns', 'names'], readCampaigns, { enabled })
  const { data: automations = [] } = useWorkspaceQuery(
    ['automations', 'why'],
    (api, signal) => readPages((query) => api.GET('/automations', { params: { query }, signal })),
    { enabled },
  )
  const { data: messages = [] } = useWorkspaceQuery(
    ['contacts', id, 'activity'],
    async (api, signal) => {
      const params = { path: { id }, query: { limit: 50 } }
      return (await api.GET('/contacts/{id}/activity', { params, signal })).data.data
    },
    { enabled },
  )
  const gotten = new Set(messages.map(({ campaignId }) => campaignId))
  const isMissed = ({ id: campaignId, startedAt }: { id: string; startedAt: string | null }) =>
    startedAt !== null && Date.parse(startedAt) > Date.now() - RECENT_MS && !gotten.has(campaignId)
  const option = (kind: 'campaign' | 'automation') => (each: { id: string; name: string }) => ({
    value: `${kind}:${each.id}`,
    label: each.name,
  })
  return [
    { group: 'Recent campaigns without them', items: campaigns.filter(isMissed).map(option('campaign')) },
    { group: 'Automations', items: automations.map(option('automation')) },
    { group: 'Campaigns', items: campaigns.filter((each) => !isMissed(each)).map(option('campaign')) },
  ].filter(({ items }) => items.length > 0)
}

function Answer({ contact, why, onEnroll }: { contact: Contact; why: WhyOf; onEnroll: () => void }) {
  const [kind, id] = why.split(':') as ['automation' | 'campaign', string]
  const { data, error, refetch } = useWorkspaceQuery(
    ['contacts', contact.id, 'why', why],
    async (api, signal) => {
      const params = { path: { id, contactId: contact.id } }
      const answer =
        kind === 'automation'
          ? await api.GET('/automations/{id}/explanations/{contactId}', { params, signal })
          : await api.GET('/campaigns/{id}/explanations/{contactId}', { params, signal })
      return answer.data.data
    },
    { refetchMs: 15_000 },
  )
  const name = contactName(contact)
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  const { sentence, facts } = data
  const failed = facts.filter(({ state }) => state === 'FALSE').length
  // The API does not name the contact.
  const named = sentence.replace(/^The contact/, () => name)
  return (
    <>
      <p className={classes.sentence} role="status">
        <SentenceWithTimes of={named} />
      </p>
      <div className={classes.facts}>
        <DataTable<Fact>
          label={`${facts.length} facts checked, ${failed} ${failed === 1 ? 'fails' : 'fail'}`}
          rows={facts}
          idOf={({ name: fact, title }) => `${fact} ${title}`}
          columns={factColumns(name)}
          empty={null}
        />
      </div>
      <Actions of={data} kind={kind} id={id} onEnroll={onEnroll} />
    </>
  )
}

const factColumns = (name: string): readonly Column<Fact>[] => [
  {
    id: 'fact',
    head: 'Checked',
    phone: 'title',
    wraps: true,
    cell: (fact) => (
      <span className={classes.fact} data-decides={(fact.decides && fact.state === 'FALSE') || undefined}>
        <State of={fact.state} /> {fact.title}
      </span>
    ),
  },
  { id: 'needs', head: 'Needs', wraps: true, cell: ({ needs }) => <Times of={needs} /> },
  {
    id: 'found',
    head: name,
    phone: 'about',
    wraps: true,
    cell: ({ found }) => <Times of={found} />,
  },
]

const Times = ({ of }: { of: string }) => (
  <span className="t2">
    <SentenceWithTimes of={of} isShort />
  </span>
)

const STATES = {
  TRUE: { icon: IconCheck, label: 'Yes', tone: 'ok' },
  FALSE: { icon: IconX, label: 'No', tone: 'bad' },
  OPEN: { icon: IconMinus, label: 'Open', tone: 'mute' },
} as const

function State({ of }: { of: Fact['state'] }) {
  const { icon: Icon, label, tone } = STATES[of]
  return (
    <span className={`${classes.state} c-${tone}`} role="img" aria-label={label}>
      <Icon aria-hidden />
    </span>
  )
}

/** Leads to what repairs or shows the answer. */
function Actions({
  of: { outcome, messageId },
  kind,
  id,
  onEnroll,
}: {
  of: Explanation
  kind: 'automation' | 'campaign'
  id: string
  onEnroll: () => void
}) {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  return (
    <div className={classes.actions}>
      {outcome === 'NOT_ENTERED' && canEdit && <Button onClick={onEnroll}>Add to automation…</Button>}
      {messageId !== null && (
        <Link
          className="link"
          to="/w/$workspaceId/messages/$messageId"
          params={{ workspaceId: workspace.id, messageId }}
        >
          Open message
        </Link>
      )}
      {kind === 'automation' ? (
        <Link
          className="link"
          to="/w/$workspaceId/automations/$automationId"
          params={{ workspaceId: workspace.id, automationId: id }}
        >
          Open automation
        </Link>
      ) : (
        <Link
          className="link"
          to="/w/$workspaceId/campaigns/$campaignId"
          params={{ workspaceId: workspace.id, campaignId: id }}
        >
          Open campaign
        </Link>
      )}
    </div>
  )
}
