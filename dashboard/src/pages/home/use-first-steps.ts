import { useLocalStorage } from '@mantine/hooks'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'

const ACTIVE_REFETCH_MS = 2_000
const IDLE_REFETCH_MS = 3_600_000
/** Campaigns that were begun, by status. */
const BEGUN: ReadonlySet<string> = new Set(['SENDING', 'PAUSED', 'SENT'])

/** Whether this browser shows the first steps of a workspace, regardless of how far it is. */
export function useFirstStepsChoice() {
  const { workspace } = useWorkspace()
  return useLocalStorage<'open' | 'hidden' | null>({ key: `first-steps-${workspace.id}`, defaultValue: null })
}

export interface Progress {
  contacts: number
  /** Templates, automations and campaigns with an email. */
  emails: number
  /** Active automations, and campaigns that were begun. */
  running: number
  event: Schemas['StoredEvent'] | undefined
  message: Schemas['MessageSummary'] | undefined
}

const isComplete = ({ contacts, emails, running, event, message }: Progress): boolean =>
  contacts > 0 && emails > 0 && running > 0 && event !== undefined && message !== undefined

/**
 * Loads what the workspace has so far, by which the first steps are checked: often while some are open. `null` if they are not
 * shown: an email was sent, and the member did not open them.
 */
export const useFirstSteps = (choice: 'open' | 'hidden' | null) =>
  useWorkspaceQuery<Progress | null>(
    ['first-steps', choice],
    async (api, signal) => {
      const messages = await api.GET('/messages', { params: { query: { limit: 1 } }, signal })
      const [message] = messages.data.data
      // Home of most workspaces asks for nothing more.
      if (message !== undefined && choice === null) return null
      const params = { query: { limit: 1 } }
      const [contacts, templates, automations, campaigns, events] = await Promise.all([
        api.GET('/contacts', { params, signal }),
        api.GET('/templates', { params, signal }),
        api.GET('/automations', { params: { query: { limit: 100 } }, signal }),
        api.GET('/campaigns', { params: { query: { limit: 100 } }, signal }),
        api.GET('/events', { params, signal }),
      ])
      return {
        contacts: contacts.data.pagination.total,
        emails:
          templates.data.pagination.total +
          automations.data.data.filter(({ stepCount }) => stepCount > 0).length +
          campaigns.data.data.filter(({ subject }) => subject !== null).length,
        running:
          automations.data.data.filter(({ status }) => status === 'active').length +
          campaigns.data.data.filter(({ status }) => BEGUN.has(status)).length,
        event: events.data.data[0],
        message,
      }
    },
    {
      enabled: choice !== 'hidden',
      keepPrevious: true,
      refetchMs: (progress) => (progress && !isComplete(progress) ? ACTIVE_REFETCH_MS : IDLE_REFETCH_MS),
    },
  )
