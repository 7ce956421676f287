import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight'
import {
  IconFilter,
  IconList,
  IconListCheck,
  IconPlus,
  IconSearch,
  IconSitemap,
  IconSpeakerphone,
  IconTemplate,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useSession } from '../api/session.ts'
import { readPages, useCampaignOptions, useEmailTemplates, useLists, useSegments } from '../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../api/workspace.tsx'
import { useCreateCampaign } from '../pages/campaigns/use-create-campaign.ts'
import { useFirstStepsChoice } from '../pages/home/use-first-steps.ts'
import { firstNameOf } from '../lib/first-name.ts'
import { itemsFor, NAV_ITEMS, PROPOSALS, SETTINGS } from './navigation.ts'
import { takeTyped } from './palette-keys.ts'

/** Milliseconds after the last change before contacts are searched, and how many are shown. */
const DEBOUNCE_MS = 120
const MAX_CONTACTS = 5

/** Opens the first result on Enter, even before the library has selected it. */
function openFirstResult(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.currentTarget.value === '') return
  if (document.querySelector('[data-action][data-selected]')) return
  document.querySelector<HTMLElement>('[data-action]')?.click()
}

/** Searches pages, records and actions. */
export function CommandPalette() {
  const { workspace } = useWorkspace()
  const { data: session } = useSession()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id }
  const [query, setQuery] = useState('')
  // What was typed while this was loading.
  useEffect(() => {
    const typed = takeTyped()
    if (typed === null) return
    setQuery(typed)
    spotlight.open()
  }, [])
  const [asked] = useDebouncedValue(query.trim(), DEBOUNCE_MS)
  const { data: contacts } = useWorkspaceQuery(
    ['contacts', 'palette', asked],
    async (api, signal) =>
      (await api.GET('/contacts', { params: { query: { q: asked, limit: MAX_CONTACTS } }, signal })).data.data,
    { enabled: asked !== '', keepPrevious: true },
  )
  const records = useRecords()
  const commands = useCommands(query.trim())
  const actions: SpotlightActionData[] = [
    ...itemsFor(workspace.role, [...NAV_ITEMS, PROPOSALS, ...SETTINGS.slice(1)]).map(({ label, to, icon: Icon }) => ({
      id: to,
      label: label,
      group: 'Go to',
      leftSection: <Icon aria-hidden />,
      onClick: () => void navigate({ to, params }),
    })),
    ...records,
    ...(contacts ?? []).map((contact) => ({
      id: contact.id,
      label: contact.email,
      // What was typed may be in an attribute.
      keywords: [asked],
      description: firstNameOf(contact) ?? '',
      group: 'Contacts',
      leftSection: <IconUser aria-hidden />,
      onClick: () =>
        void navigate({ to: '/w/$workspaceId/contacts/$contactId', params: { ...params, contactId: contact.id } }),
    })),
    // Last: Enter opens the record that was typed.
    ...commands,
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

/** The automations, campaigns, templates, segments and lists of the workspace. */
function useRecords(): SpotlightActionData[] {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id }
  const { data: automations } = useWorkspaceQuery(['automations', 'palette'], (api, signal) =>
    readPages((query) => api.GET('/automations', { params: { query }, signal })),
  )
  const campaigns = useCampaignOptions()
  const templates = useEmailTemplates()
  const segments = useSegments()
  const lists = useLists()
  const entries = (
    group: string,
    Icon: TablerIcon,
    rows: readonly { value: string; label: string }[] | undefined,
    open: (id: string) => unknown,
  ): SpotlightActionData[] =>
    (rows ?? []).map(({ value, label }) => ({
      id: `${group} ${value}`,
      label,
      group,
      leftSection: <Icon aria-hidden />,
      onClick: () => void open(value),
    }))
  const named = (rows: readonly { id: string; name: string }[] | undefined) =>
    rows?.map(({ id, name }) => ({ value: id, label: name }))
  return [
    ...entries('Automations', IconSitemap, named(automations), (automationId) =>
      navigate({ to: '/w/$workspaceId/automations/$automationId', params: { ...params, automationId } }),
    ),
    ...entries('Campaigns', IconSpeakerphone, campaigns, (campaignId) =>
      navigate({ to: '/w/$workspaceId/campaigns/$campaignId', params: { ...params, campaignId } }),
    ),
    ...entries('Templates', IconTemplate, named(templates), (templateId) =>
      navigate({ to: '/w/$workspaceId/templates/$templateId', params: { ...params, templateId } }),
    ),
    ...entries('Segments', IconFilter, segments, (segmentId) =>
      navigate({ to: '/w/$workspaceId/segments/$segmentId', params: { ...params, segmentId } }),
    ),
    ...entries('Lists', IconList, lists, (listId) =>
      navigate({ to: '/w/$workspaceId/contacts', params, search: { listId } }),
    ),
  ]
}

const COMMAND = /^(create|new) campaign\s*/i

/** Actions, which take what was typed along. */
function useCommands(typed: string): SpotlightActionData[] {
  const canEdit = useHasRole('editor')
  const create = useCreateCampaign()
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const [, chooseFirstSteps] = useFirstStepsChoice()
  if (!canEdit) return []
  const name = typed.replace(COMMAND, '')
  const isNamed = COMMAND.test(typed) && name !== ''
  return [
    {
      id: 'create campaign',
      // The name must be part of the label, or the search would not find it.
      label: isNamed ? `Create campaign ${name}` : 'Create campaign',
      keywords: ['New campaign', ...(isNamed ? [typed] : [])],
      group: 'Actions',
      leftSection: <IconPlus aria-hidden />,
      onClick: () => create.mutate(isNamed ? { name } : undefined),
    },
    {
      id: 'first steps',
      label: 'Show first steps',
      group: 'Actions',
      leftSection: <IconListCheck aria-hidden />,
      onClick() {
        chooseFirstSteps('open')
        void navigate({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })
      },
    },
  ]
}
