import {
  IconAt,
  IconBolt,
  IconBuilding,
  IconDatabase,
  IconFileImport,
  IconFilter,
  IconHistory,
  IconHome,
  IconKey,
  IconList,
  IconListCheck,
  IconMail,
  IconMailExclamation,
  IconMailOff,
  IconPhoto,
  IconReceipt,
  IconRoute,
  IconSettings,
  IconSitemap,
  IconSpeakerphone,
  IconTemplate,
  IconTerminal2,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'
import { isAtLeast, type Role } from '../api/session.ts'

/** An entry of the navigation: the rail, the tab bar and the command palette show these. */
export interface NavItem {
  label: string
  to:
    | '/w/$workspaceId'
    | '/w/$workspaceId/automations'
    | '/w/$workspaceId/campaigns'
    | '/w/$workspaceId/templates'
    | '/w/$workspaceId/media'
    | '/w/$workspaceId/contacts'
    | '/w/$workspaceId/lists'
    | '/w/$workspaceId/segments'
    | '/w/$workspaceId/enrollments'
    | '/w/$workspaceId/sender'
    | '/w/$workspaceId/suppressions'
    | '/w/$workspaceId/bounces'
    | '/w/$workspaceId/transactional'
    | '/w/$workspaceId/imports'
    | '/w/$workspaceId/workspace'
    | '/w/$workspaceId/retention'
    | '/w/$workspaceId/messages'
    | '/w/$workspaceId/keys'
    | '/w/$workspaceId/webhooks'
    | '/w/$workspaceId/events'
    | '/w/$workspaceId/logs'
    | '/w/$workspaceId/members'
    | '/w/$workspaceId/audit'
    | '/w/$workspaceId/proposals'
  icon: TablerIcon
  /** The key after G. */
  key?: string
  minRole?: Role
}

/** A group of the navigation. One item alone has no heading. */
interface NavGroup {
  label: string | null
  items: readonly NavItem[]
}

export const NAV_GROUPS: readonly NavGroup[] = [
  { label: null, items: [{ label: 'Home', to: '/w/$workspaceId', icon: IconHome, key: 'h' }] },
  {
    label: 'Audience',
    items: [
      { label: 'Contacts', to: '/w/$workspaceId/contacts', icon: IconUsers, key: 'c' },
      { label: 'Segments', to: '/w/$workspaceId/segments', icon: IconFilter, key: 's' },
      { label: 'Lists', to: '/w/$workspaceId/lists', icon: IconList, key: 'l' },
      { label: 'Imports', to: '/w/$workspaceId/imports', icon: IconFileImport, key: 'i' },
    ],
  },
  {
    label: 'Messaging',
    items: [
      { label: 'Automations', to: '/w/$workspaceId/automations', icon: IconSitemap, key: 'a' },
      { label: 'Campaigns', to: '/w/$workspaceId/campaigns', icon: IconSpeakerphone, key: 'p' },
      { label: 'Transactional', to: '/w/$workspaceId/transactional', icon: IconReceipt },
      { label: 'Templates', to: '/w/$workspaceId/templates', icon: IconTemplate, key: 't' },
      { label: 'Media', to: '/w/$workspaceId/media', icon: IconPhoto },
      { label: 'Enrollments', to: '/w/$workspaceId/enrollments', icon: IconRoute, key: 'e' },
    ],
  },
  {
    label: 'Delivery',
    items: [
      { label: 'Messages', to: '/w/$workspaceId/messages', icon: IconMail, key: 'm' },
      { label: 'Suppressions', to: '/w/$workspaceId/suppressions', icon: IconMailOff, key: 'u' },
      { label: 'Bounces', to: '/w/$workspaceId/bounces', icon: IconMailExclamation, key: 'b' },
      { label: 'Sender', to: '/w/$workspaceId/sender', icon: IconAt },
    ],
  },
  {
    label: 'Developers',
    items: [
      { label: 'API keys', to: '/w/$workspaceId/keys', icon: IconKey, minRole: 'owner' },
      { label: 'Webhooks', to: '/w/$workspaceId/webhooks', icon: IconWebhook },
      { label: 'Events', to: '/w/$workspaceId/events', icon: IconBolt, key: 'v' },
      { label: 'Logs', to: '/w/$workspaceId/logs', icon: IconTerminal2, minRole: 'owner' },
    ],
  },
  { label: null, items: [{ label: 'Settings', to: '/w/$workspaceId/workspace', icon: IconSettings }] },
]

/** The sections of the settings. The first one is what the navigation opens. */
export const SETTINGS: readonly NavItem[] = [
  { label: 'General', to: '/w/$workspaceId/workspace', icon: IconBuilding },
  { label: 'Data retention', to: '/w/$workspaceId/retention', icon: IconDatabase },
  { label: 'Members', to: '/w/$workspaceId/members', icon: IconUsersGroup },
  { label: 'Audit log', to: '/w/$workspaceId/audit', icon: IconHistory, minRole: 'owner' },
]

/** A page that only the command palette and Home lead to: most workspaces have no agents. */
export const PROPOSALS: NavItem = { label: 'Proposals', to: '/w/$workspaceId/proposals', icon: IconListCheck }

export const NAV_ITEMS: readonly NavItem[] = NAV_GROUPS.flatMap(({ items }) => items)

/** The navigation items that a role may open. */
export const itemsFor = (role: Role, items: readonly NavItem[] = NAV_ITEMS): NavItem[] =>
  items.filter(({ minRole = 'viewer' }) => isAtLeast(role, minRole))

const TABS = ['Home', 'Automations', 'Contacts', 'Campaigns']
/** The tabs at the bottom of a phone. */
export const isTab = ({ label }: NavItem): boolean => TABS.includes(label)
