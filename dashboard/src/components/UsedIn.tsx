import { IconMail, IconFilter, IconSend, IconSitemap, IconSpeakerphone, IconTemplate } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/client.ts'
import { useWorkspace } from '../api/workspace.tsx'
import { CAMPAIGN_STATUS, type CampaignStatus } from '../pages/campaigns/campaigns.ts'
import { AUTOMATION_STATUS, type AutomationStatus, StatusBadge } from './StatusBadge.tsx'
import classes from './UsedIn.module.css'

const KINDS = {
  TEMPLATE: { label: 'Template', icon: IconTemplate },
  AUTOMATION: { label: 'Automation', icon: IconSitemap },
  CAMPAIGN: { label: 'Campaign', icon: IconSpeakerphone },
  SEGMENT: { label: 'Segment', icon: IconFilter },
  EMAIL: { label: 'Scheduled email', icon: IconMail },
  SENDER: { label: 'Sender', icon: IconSend },
} as const

const ROLES = {
  TRIGGER: 'Starts when a contact enters',
  CONDITION: 'In its conditions',
  AUDIENCE: 'Audience',
  EXCLUSION: 'Excluded',
} as const

/** A record that uses another one. */
export interface Use {
  kind: keyof typeof KINDS
  id: string
  name: string
  /** The status of an automation or a campaign. */
  status?: string | null
  role?: Schemas['SegmentUse']['role']
}

/** Lists what uses a record, with links. @param none says that there is nothing */
export function UsedIn({ uses, none }: { uses: readonly Use[]; none: string }) {
  if (uses.length === 0) return <p className="t2">{none}</p>
  return (
    <ul>
      {uses.map((use) => (
        <li key={`${use.kind} ${use.id}`} className={classes.use}>
          <KindIcon kind={use.kind} />
          <span className={classes.name}>
            <UseLink use={use}>{use.name}</UseLink>
            <span className="small t2">{use.role ? ROLES[use.role] : KINDS[use.kind].label}</span>
          </span>
          <UseStatus use={use} />
        </li>
      ))}
    </ul>
  )
}

/** The first use, and how many others there are. */
export function FirstUse({ uses }: { uses: readonly Use[] }) {
  const [first, ...others] = uses
  if (!first) return <span className="t3">Not used</span>
  return (
    <span className={classes.first} title={uses.map(({ name }) => name).join('\n')}>
      <KindIcon kind={first.kind} />
      <bdi className="cut">{first.name}</bdi>
      {others.length > 0 && <span className="t3">+{others.length}</span>}
    </span>
  )
}

function KindIcon({ kind }: Pick<Use, 'kind'>) {
  const { icon: Icon, label } = KINDS[kind]
  return (
    <span className="t3" role="img" aria-label={label}>
      <Icon aria-hidden />
    </span>
  )
}

function UseStatus({ use: { kind, status } }: { use: Use }) {
  if (!status) return null
  const style =
    kind === 'AUTOMATION' ? AUTOMATION_STATUS[status as AutomationStatus] : CAMPAIGN_STATUS[status as CampaignStatus]
  return <StatusBadge status={style} plain />
}

function UseLink({ use: { kind, id }, children }: { use: Use; children: ReactNode }) {
  const { workspace } = useWorkspace()
  const params = { workspaceId: workspace.id }
  const props = { className: 'strong', children }
  switch (kind) {
    case 'TEMPLATE':
      return <Link to="/w/$workspaceId/templates/$templateId" params={{ ...params, templateId: id }} {...props} />
    case 'AUTOMATION':
      return <Link to="/w/$workspaceId/automations/$automationId" params={{ ...params, automationId: id }} {...props} />
    case 'CAMPAIGN':
      return <Link to="/w/$workspaceId/campaigns/$campaignId" params={{ ...params, campaignId: id }} {...props} />
    case 'SEGMENT':
      return <Link to="/w/$workspaceId/segments/$segmentId" params={{ ...params, segmentId: id }} {...props} />
    case 'EMAIL':
    case 'SENDER':
      return <span {...props} />
  }
}
