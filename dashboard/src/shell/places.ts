import {
  IconAt,
  IconBuilding,
  IconFileImport,
  IconFilter,
  IconHistory,
  IconHome,
  IconKey,
  IconList,
  IconMail,
  IconMailExclamation,
  IconMailOff,
  IconRoute,
  IconSitemap,
  IconSpeakerphone,
  IconTemplate,
  IconUsers,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Role } from '../api/session.ts'

/** Where one can go in a workspace: the rail, the bar of a phone and the palette are made of these. */
export interface Place {
  word: string
  to:
    | '/w/$workspaceId'
    | '/w/$workspaceId/automations'
    | '/w/$workspaceId/campaigns'
    | '/w/$workspaceId/templates'
    | '/w/$workspaceId/contacts'
    | '/w/$workspaceId/lists'
    | '/w/$workspaceId/segments'
    | '/w/$workspaceId/enrollments'
    | '/w/$workspaceId/sender'
    | '/w/$workspaceId/suppressions'
    | '/w/$workspaceId/bounces'
    | '/w/$workspaceId/imports'
    | '/w/$workspaceId/workspace'
    | '/w/$workspaceId/messages'
    | '/w/$workspaceId/keys'
    | '/w/$workspaceId/members'
    | '/w/$workspaceId/audit'
  icon: TablerIcon
  /** Behind G. */
  key?: string
  least?: Role
}

export const PLACES: readonly Place[] = [
  { word: 'Home', to: '/w/$workspaceId', icon: IconHome, key: 'h' },
  { word: 'Automations', to: '/w/$workspaceId/automations', icon: IconSitemap, key: 'a' },
  { word: 'Contacts', to: '/w/$workspaceId/contacts', icon: IconUsers, key: 'c' },
  { word: 'Messages', to: '/w/$workspaceId/messages', icon: IconMail, key: 'm' },
  { word: 'Campaigns', to: '/w/$workspaceId/campaigns', icon: IconSpeakerphone, key: 'p' },
  { word: 'Templates', to: '/w/$workspaceId/templates', icon: IconTemplate, key: 't' },
  { word: 'Enrollments', to: '/w/$workspaceId/enrollments', icon: IconRoute, key: 'e' },
  { word: 'Segments', to: '/w/$workspaceId/segments', icon: IconFilter, key: 's' },
  { word: 'Lists', to: '/w/$workspaceId/lists', icon: IconList, key: 'l' },
  { word: 'Suppressions', to: '/w/$workspaceId/suppressions', icon: IconMailOff, key: 'u' },
  { word: 'Bounces', to: '/w/$workspaceId/bounces', icon: IconMailExclamation, key: 'b' },
  { word: 'Imports', to: '/w/$workspaceId/imports', icon: IconFileImport, key: 'i' },
]

export const SETTINGS: readonly Place[] = [
  { word: 'Workspace', to: '/w/$workspaceId/workspace', icon: IconBuilding },
  { word: 'Sender', to: '/w/$workspaceId/sender', icon: IconAt },
  { word: 'API keys', to: '/w/$workspaceId/keys', icon: IconKey, least: 'owner' },
  { word: 'Members', to: '/w/$workspaceId/members', icon: IconUsersGroup },
  { word: 'Audit log', to: '/w/$workspaceId/audit', icon: IconHistory, least: 'owner' },
]
