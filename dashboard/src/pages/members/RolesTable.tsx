import { IconCheck, IconMinus } from '@tabler/icons-react'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { isAtLeast, type Role } from '../../api/session.ts'
import { ROLE_OPTIONS } from './roles.ts'

interface Permission {
  does: string
  /** The least role that has it. */
  from: Role
}

const PERMISSIONS: readonly Permission[] = [
  { does: 'Read contacts, reports and messages', from: 'viewer' },
  { does: 'Edit contacts, automations, campaigns and templates', from: 'editor' },
  { does: 'Publish and send', from: 'editor' },
  { does: 'Import, suppress and delete contacts', from: 'editor' },
  { does: 'API keys, sender and provider webhooks', from: 'owner' },
  { does: 'Members, settings, retention and audit log', from: 'owner' },
]

const COLUMNS: readonly Column<Permission>[] = [
  { id: 'permission', head: 'Permission', phone: 'title', wraps: true, cell: ({ does }) => does },
  ...ROLE_OPTIONS.map(({ value, label }) => ({
    id: value,
    head: label,
    phone: 'figure' as const,
    cell: ({ from }: Permission) =>
      isAtLeast(value, from) ? (
        <IconCheck role="img" aria-label="Yes" color="var(--ok)" />
      ) : (
        <IconMinus role="img" aria-label="No" color="var(--text-3)" />
      ),
  })),
]

/** Shows what each role may do. */
export const RolesTable = () => (
  <Section title="Roles">
    <DataTable<Permission>
      label="Roles"
      rows={PERMISSIONS}
      idOf={({ does }) => does}
      columns={COLUMNS}
      empty={null}
      hidesFoot
    />
  </Section>
)
