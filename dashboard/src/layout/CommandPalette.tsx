import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { IconSearch, IconSitemap, IconUser } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { isAtLeast, useSession } from '../api/session.ts'
import { readPages } from '../api/queries.ts'
import { useWorkspaceQuery, useWorkspace } from '../api/workspace.tsx'
import { NAV_ITEMS, SETTINGS_ITEMS } from './navigation.ts'

/** Milliseconds after the last change before contacts are searched, and how many are shown. */
const DEBOUNCE_MS = 200
const MAX_CONTACTS = 5

/** Opens the first result on Enter, even before the library has selected it. */
function openFirstResult(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.currentTarget.value === '') return
  if (document.querySelector('[data-action][data-selected]')) return
  document.querySelector<HTMLElement>('[data-action]')?.click()
}

export function CommandPalette() {
  const { workspace } = useWorkspace()
  const { data: session } = useSession()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id }
  const { data: automations } = useWorkspaceQuery(['automations', 'palette'], (api, signal) =>
    readPages((query) => api.GET('/automations', { params: { query }, signal })),
  )
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query.trim(), DEBOUNCE_MS)
  const { data: contacts } = useWorkspaceQuery(
    ['contacts', 'palette', asked],
    async (api, signal) =>
      (await api.GET('/contacts', { params: { query: { q: asked, limit: MAX_CONTACTS } }, signal })).data.data,
    { enabled: asked !== '' },
  )
  const places = [...NAV_ITEMS, ...SETTINGS_ITEMS].filter(({ minRole = 'viewer' }) =>
    isAtLeast(workspace.role, minRole),
  )
  const actions: SpotlightActionData[] = [
    ...places.map(({ label, to, icon: Icon }) => ({
      id: to,
      label: label,
      group: 'Go to',
      leftSection: <Icon aria-hidden />,
      onClick: () => void navigate({ to, params }),
    })),
    ...(automations ?? []).map(({ id, name }) => ({
      id,
      label: name,
      group: 'Automations',
      leftSection: <IconSitemap aria-hidden />,
      onClick: () =>
        void navigate({ to: '/w/$workspaceId/automations/$automationId', params: { ...params, automationId: id } }),
    })),
    ...(contacts ?? []).map(({ id, email, firstName }) => ({
      id,
      label: email,
      ...(firstName !== null && { description: firstName }),
      group: 'Contacts',
      leftSection: <IconUser aria-hidden />,
      onClick: () => void navigate({ to: '/w/$workspaceId/contacts/$contactId', params: { ...params, contactId: id } }),
    })),
    ...(session?.workspaces ?? [])
      .filter(({ id }) => id !== workspace.id)
      .map(({ id, name, mode }) => ({
        id,
        label: `${name}${mode === 'test' ? ' (test)' : ''}`,
        group: 'Workspaces',
        onClick: () => void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } }),
      })),
  ]
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      limit={12}
      highlightQuery
      scrollable
      nothingFound="No results"
      searchProps={{
        placeholder: 'Search or jump to',
        leftSection: <IconSearch aria-hidden />,
        'aria-label': 'Search or jump to',
        onKeyDown: openFirstResult,
      }}
    />
  )
}
