import {
  IconBuilding,
  IconFilter,
  IconHistory,
  IconHome,
  IconKey,
  IconList,
  IconMail,
  IconRoute,
  IconSitemap,
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
    | '/w/$workspaceId/contacts'
    | '/w/$workspaceId/lists'
    | '/w/$workspaceId/segments'
    | '/w/$workspaceId/enrollments'
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
  { word: 'Enrollments', to: '/w/$workspaceId/enrollments', icon: IconRoute, key: 'e' },
  { word: 'Segments', to: '/w/$workspaceId/segments', icon: IconFilter, key: 's' },
  { word: 'Lists', to: '/w/$workspaceId/lists', icon: IconList, key: 'l' },
]

export const SETTINGS: readonly Place[] = [
  { word: 'Workspace', to: '/w/$workspaceId/workspace', icon: IconBuilding },
  { word: 'API keys', to: '/w/$workspaceId/keys', icon: IconKey, least: 'owner' },
  { word: 'Members', to: '/w/$workspaceId/members', icon: IconUsersGroup },
  { word: 'Audit log', to: '/w/$workspaceId/audit', icon: IconHistory, least: 'owner' },
]
